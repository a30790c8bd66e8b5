import { type Step, waitFor } from './call.ts';

/** Lets the calls of one lane through one at a time, in call order. */
export function withLanes(next: Step): Step {
  /** The functions that start waiting calls, by lane; a lane without a call has no entry. */
  const queues = new Map<string, (() => void)[]>();
  return async (call) => {
    const { lane } = call.operation;
    if (lane === undefined) return next(call);
    const release = (): void => {
      const start = queues.get(lane)?.shift();
      if (start) start();
      else queues.delete(lane);
    };
    const queue = queues.get(lane);
    if (queue) {
      const acquired = new Promise<void>((resolve) => queue.push(resolve));
      const failure = await waitFor(call, acquired, 'behind other updates to this order');
      if (failure) {
        // A call that gave up lets no later one overtake.
        void acquired.then(release);
        return failure;
      }
    } else queues.set(lane, []);
    try {
      return await next(call);
    } finally {
      release();
    }
  };
}
