import { tracingChannel } from 'node:diagnostics_channel';
import type { Call, CallSuccess } from './call.ts';
import type { MakeCall } from './connection.ts';
import type { CallError } from './errors.ts';
import { labelOf } from './operation.ts';
import type { Outcome } from './outcome.ts';

/** What subscribers of the tracing channel `orders.request` see: no key, no request body, no whole order token; an error may quote the response. */
export interface OrdersRequestTrace {
  /** Method and path; of an order token only the last four characters. */
  readonly operation: string;
  readonly bodyBytes: number;
  /** How the call succeeded, from `asyncEnd` on. */
  result?: { readonly outcome: Outcome; readonly status: number; readonly attempts: number };
  /** Why the call failed, from `error` on. */
  error?: CallError;
}

const channel = tracingChannel<unknown, OrdersRequestTrace>('orders.request');

/** Publishes each call on the tracing channel `orders.request` of `node:diagnostics_channel`. */
export function traced(next: MakeCall): MakeCall {
  return (call) => (channel.hasSubscribers ? publish(call, next) : next(call));
}

async function publish(call: Call, next: MakeCall): Promise<CallSuccess> {
  const settled = Promise.withResolvers<CallSuccess>();
  await channel.tracePromise(
    async () => {
      const success = await next(call);
      settled.resolve(success);
      return { outcome: 'applied', status: success.status, attempts: success.attempts } as const;
    },
    { operation: labelOf(call.operation), bodyBytes: call.bodyBytes },
  );
  return settled.promise;
}
