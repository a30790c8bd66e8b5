import { type Layer, waitFor } from './call.ts';

/** Lets the calls of one lane through one at a time, in the order they came. */
export function inLanes(next: Layer): Layer {
  /** What starts the calls that wait, by lane; a lane that no call is in has none. */
  const queues = new Map<string, (() => void)[]>();
  return async (call) => {
    const { lane } = call.operation;
    if (lane === undefined) return next(call);
    const leave = (): void => {
      const start = queues.get(lane)?.shift();
      if (start) start();
      else queues.delete(lane);
    };
    const queue = queues.get(lane);
    if (queue) {
      const turn = new Promise<void>((resolve) => queue.push(resolve));
      const failure = await waitFor(call, turn, 'behind other updates to this order');
      if (failure) {
        // A call that gave up waiting lets nothing overtake.
        void turn.then(leave);
        return failure;
      }
    } else queues.set(lane, []);
    try {
      return await next(call);
    } finally {
      leave();
    }
  };
}
