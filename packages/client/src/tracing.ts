import { tracingChannel } from 'node:diagnostics_channel';
import type { Call } from './call.ts';
import type { AnyOrdersError } from './errors.ts';
import { describeOperation, type Outcome } from './operation.ts';
import type { MakeCall, UpdateOrderResponse } from './update-order.ts';

/**
 * What subscribers of the tracing channel `orders.request` receive: no key, no request body, no whole order token; an
 * error may quote the response.
 */
export interface OrdersRequestTrace {
  /** Method and path, with only the last four characters of an order token. */
  readonly operation: string;
  readonly bodyBytes: number;
  /** How the call succeeded, from `asyncEnd` on. */
  result?: { readonly outcome: Outcome; readonly status: number; readonly attemptCount: number };
  /** Why the call failed, from `error` on. */
  error?: AnyOrdersError;
}

const channel = tracingChannel<unknown, OrdersRequestTrace>('orders.request');

/** Publishes each call on the tracing channel `orders.request` of `node:diagnostics_channel`. */
export function withTracing(next: MakeCall): MakeCall {
  return (call) => (channel.hasSubscribers ? publish(call, next) : next(call));
}

async function publish(call: Call, next: MakeCall): Promise<UpdateOrderResponse> {
  const settled = Promise.withResolvers<UpdateOrderResponse>();
  await channel.tracePromise(
    async () => {
      const response = await next(call);
      settled.resolve(response);
      const { status, attemptCount } = response;
      return { outcome: 'applied', status, attemptCount } as const;
    },
    { operation: describeOperation(call.operation), bodyBytes: call.bodyBytes },
  );
  return settled.promise;
}
