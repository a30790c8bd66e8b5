import { abortedCall, type Layer, queuedTooLong } from './call.ts';

/** Lets the calls of one lane through one at a time, in the order they came. */
export function inLanes(next: Layer): Layer {
  const lanes = new Lanes();
  return async (call) => {
    const { lane } = call.operation;
    if (lane === undefined) return next(call);
    const place = lanes.enter(lane);
    try {
      const end = place.ready && (await call.deadline.wait(place.ready));
      if (end === 'aborted') throw abortedCall(call);
      if (end === 'timeout') throw queuedTooLong(call);
      return await next(call);
    } finally {
      place.leave();
    }
  };
}

/** A place in a lane: leave it once, whatever became of the call. */
export interface Place {
  /** Settles when it is this place's turn; `undefined` when it is already. */
  readonly ready: Promise<void> | undefined;
  readonly leave: () => void;
}

interface Waiting {
  readonly start: () => void;
  state: 'waiting' | 'started' | 'gone';
}

/** Places in lanes, by name. A lane exists as long as somebody is in it, and costs next to nothing when nobody waits. */
export class Lanes {
  readonly #queues = new Map<string, Waiting[]>();

  /** Lanes that somebody is in. */
  get size(): number {
    return this.#queues.size;
  }

  /** Takes the next place. Who gives up waiting leaves too, and lets nobody overtake. */
  enter(name: string): Place {
    const queue = this.#queues.get(name);
    if (!queue) {
      this.#queues.set(name, []);
      return { ready: undefined, leave: () => this.#next(name) };
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: Waiting = { start: resolve, state: 'waiting' };
    queue.push(waiting);
    const leave = (): void => {
      if (waiting.state === 'started') this.#next(name);
      else waiting.state = 'gone';
    };
    return { ready: promise, leave };
  }

  #next(name: string): void {
    const queue = this.#queues.get(name);
    let next = queue?.shift();
    while (next?.state === 'gone') next = queue?.shift();
    if (!next) this.#queues.delete(name);
    else {
      next.state = 'started';
      next.start();
    }
  }
}
