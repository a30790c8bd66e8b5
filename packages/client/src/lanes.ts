import { type Step, waitFor } from './call.ts';

/** Lets the calls of one lane through one at a time, in call order: each waits until the one before it has settled. */
export function withLanes(next: Step): Step {
  /** Settles with the last call of a lane; a lane without a call has no entry. */
  const lasts = new Map<string, Promise<void>>();
  return async (call) => {
    const { lane } = call.operation;
    if (lane === undefined) return next(call);
    const before = lasts.get(lane);
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    lasts.set(lane, settled);
    try {
      const failure = before && (await waitFor(call, before, 'behind other updates to this order'));
      return failure ?? (await next(call));
    } finally {
      // Not before the one before it: a call that gave up lets no later one overtake.
      resolve(before);
      void settled.then(() => {
        if (lasts.get(lane) === settled) lasts.delete(lane);
      });
    }
  };
}
