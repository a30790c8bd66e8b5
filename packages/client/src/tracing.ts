import { tracingChannel } from 'node:diagnostics_channel';
import type { Call } from './call.ts';
import type { OrdersError, OrdersErrorCode } from './errors.ts';
import type { Operation, Outcome } from './operation.ts';
import { type MakeCall, type UpdateOrderResponse, updateOperation } from './update-order.ts';

/**
 * What subscribers of the tracing channel `orders.request` receive for each call, also for one whose update is invalid:
 * no key, no request body, no order token outside of `error`, which may quote the response. `operation`, `method`,
 * `outcome`, `code` and `status` have few values, so a metric can have them as labels.
 */
export interface OrdersRequestTrace {
  /** What was called, under a name without an order token. */
  readonly operation: 'update' | 'echo';
  readonly method: Operation['method'];
  /** Length of the request body in bytes; 0 for an invalid update, which has none. */
  readonly bodyBytes: number;
  /** What became of the update, from `asyncStart` and `error` on. */
  outcome?: Outcome;
  /** The code of the error, from `asyncStart` and `error` on; absent when the call succeeded. */
  code?: OrdersErrorCode;
  /** The status of the last response, from `asyncStart` and `error` on; absent when none came. */
  status?: number | undefined;
  /** How many attempts were made, from `asyncStart` and `error` on. */
  attemptCount?: number;
  /** How long the call took in milliseconds, waiting included, from `asyncStart` and `error` on. */
  durationMs?: number;
  /** Why the call failed, from `error` on. */
  error?: OrdersError;
}

const channel = tracingChannel<unknown, OrdersRequestTrace>('orders.request');

/** Publishes each call on the tracing channel `orders.request` of `node:diagnostics_channel`. */
export function withTracing(next: MakeCall): MakeCall {
  return (call) => (channel.hasSubscribers ? publish(describe(call), () => next(call)) : next(call));
}

/** Validates an update, and publishes one that is invalid as a call that failed. */
export const tracedUpdateOperation: typeof updateOperation = (core, token, update) => {
  try {
    return updateOperation(core, token, update);
  } catch (error) {
    const trace = { operation: 'update', method: 'PATCH', bodyBytes: 0 } as const;
    if (channel.hasSubscribers) publish({ ...trace }, () => Promise.reject(error)).catch(() => {});
    throw error;
  }
};

function describe({ operation: { method, lane }, bodyBytes }: Call): OrdersRequestTrace {
  return { operation: lane === undefined ? 'echo' : 'update', method, bodyBytes };
}

async function publish(
  trace: OrdersRequestTrace,
  run: () => Promise<UpdateOrderResponse>,
): Promise<UpdateOrderResponse> {
  const startedAt = performance.now();
  const ended = (end: Pick<OrdersRequestTrace, 'outcome' | 'code' | 'status' | 'attemptCount'>): void => {
    Object.assign(trace, end, { durationMs: performance.now() - startedAt });
  };
  const settled = Promise.withResolvers<UpdateOrderResponse>();
  await channel.tracePromise(async () => {
    try {
      const response = await run();
      const { outcome, status, attemptCount } = response;
      ended({ outcome, status, attemptCount });
      // Not what the channel publishes as its result: the data of the service.
      settled.resolve(response);
    } catch (thrown) {
      const error = thrown as OrdersError;
      const { outcome, code, attemptCount } = error;
      ended({ outcome, code, attemptCount, status: error.receipt.toJSON().attempts.at(-1)?.status });
      throw error;
    }
  }, trace);
  return settled.promise;
}
