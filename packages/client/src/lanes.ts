import { abortedCall, type Layer, queuedTooLong } from './call.ts';

/** Lets the calls of one lane through one at a time, in the order they came. */
export function inLanes(next: Layer): Layer {
  const lanes = new Lanes();
  return async (call) => {
    const { lane } = call.operation;
    if (lane === undefined) return next(call);
    const { ready, leave } = lanes.enter(lane);
    try {
      const end = ready && (await call.deadline.wait(ready));
      if (end === 'aborted') throw abortedCall(call);
      if (end === 'timeout') throw queuedTooLong(call);
      return await next(call);
    } finally {
      leave();
    }
  };
}

/** Places in lanes, by name. A lane exists as long as somebody is in it. */
export class Lanes {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Lanes that somebody is in. */
  get size(): number {
    return this.#tails.size;
  }

  /**
   * Takes the next place. `ready` is `undefined` when the lane is free. Call `leave` once, whatever became
   * of the call: who gives up waiting leaves too, and those behind still wait for those before.
   */
  enter(name: string): { readonly ready: Promise<unknown> | undefined; readonly leave: () => void } {
    const ready = this.#tails.get(name);
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
    const tail = ready ? Promise.all([ready, gone]) : gone;
    this.#tails.set(name, tail);
    void tail.then(() => {
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
    });
    return { ready, leave };
  }
}
