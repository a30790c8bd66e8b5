import { type Layer, waitFor } from './call.ts';

/** Lets the calls of one lane through one at a time, in the order they came. */
export function inLanes(next: Layer): Layer {
  /** What the next call of a lane waits for. */
  const tails = new Map<string, Promise<void>>();
  return async (call) => {
    const { lane } = call.operation;
    if (lane === undefined) return next(call);
    const before = tails.get(lane);
    const { promise, resolve } = Promise.withResolvers<void>();
    tails.set(lane, promise);
    try {
      const failure = before && (await waitFor(call, before, 'behind other updates to this order'));
      return failure ?? (await next(call));
    } finally {
      // A call that gave up waiting lets nothing overtake.
      void Promise.resolve(before).then(() => {
        if (tails.get(lane) === promise) tails.delete(lane);
        resolve();
      });
    }
  };
}
