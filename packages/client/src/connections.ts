import { abortedFailure, type Call, timeoutFailure } from './call.ts';
import type { AttemptFailure } from './errors.ts';
import { longestTimerMs } from './options.ts';

/** The connections that requests may have at once; those beyond wait in the order in which they came. */
export class Connections {
  readonly #max: number;
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#max = max;
    this.#free = max;
  }

  /** Waits for a connection, no longer than the call may take. Without a failure, `release` must follow. */
  async acquire(call: Call): Promise<AttemptFailure | undefined> {
    if (this.#free > 0) {
      this.#free -= 1;
      return undefined;
    }
    const { attempts, deadline, options } = call;
    // The time of an item of a bulk run begins when it may be sent.
    const isCounted = !options.bulk || attempts.length > 0;
    const from = deadline.elapsedMs();
    let isTaken = false;
    let wake = (): void => {};
    const take = (): void => {
      isTaken = true;
      wake();
    };
    this.#waiting.add(take);
    const end = await deadline.wait(isCounted ? deadline.remainingMs() : longestTimerMs, (ready) => {
      wake = ready;
    });
    this.#waiting.delete(take);
    if (!isCounted) deadline.extend(deadline.elapsedMs() - from);
    // The caller gives it back, even when the call has ended meanwhile.
    if (isTaken) return undefined;
    if (end === 'aborted') return abortedFailure(call);
    return timeoutFailure(call, `waiting for one of ${this.#max} connections (maxConnections)`);
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
