/** What measures time: injected, so that tests of timing rules need not wait. */
export interface Clock {
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** Runs something after so many milliseconds; returns a function that cancels it. */
  setTimer(run: () => void, ms: number): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  setTimer: (run, ms) => {
    const timer = setTimeout(() => afterSockets(run), ms);
    return () => clearTimeout(timer);
  },
};

/** How a wait ended. */
type WaitEnd = 'ready' | 'timeout' | 'aborted';

/** The time that a call has, and what may end it sooner: its signal, or the client's `destroy`. */
export class Deadline {
  readonly #clock: Clock;
  readonly #startedAt: number;
  #totalMs: number;
  readonly #signal: AbortSignal | null | undefined;
  readonly #onSignal = () => this.abort(this.#signal?.reason);
  /** What to run when the call is aborted; only one step of a call waits at a time. */
  #abortStep: (() => void) | undefined;
  /** Ends the call, once the request that has left has its response. */
  #stop: (() => void) | undefined;
  #isSending = false;
  /** Whether the call is to end. */
  aborted = false;
  /** Why it is to end. */
  reason: unknown;

  constructor(totalMs: number, signal: AbortSignal | null | undefined, clock = systemClock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#totalMs = totalMs;
    this.#signal = signal;
    if (signal?.aborted) this.#onSignal();
    else signal?.addEventListener('abort', this.#onSignal);
  }

  /** Milliseconds since the call was made. */
  elapsedMs(): number {
    return this.#clock.now() - this.#startedAt;
  }

  /** Milliseconds left; 0 when there are none. */
  remainingMs(): number {
    return Math.max(0, this.#totalMs - this.elapsedMs());
  }

  /** Gives the call more time. */
  extend(ms: number): void {
    this.#totalMs += ms;
  }

  /** Ends the call. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#abortStep?.();
  }

  /** Ends the call before its next request leaves: at once, or after the response to the one that has left. */
  stop(reason: unknown): void {
    this.#stop = () => this.abort(reason);
    if (!this.#isSending) this.#stop();
  }

  /** The first byte of a request leaves. */
  beginSending(): void {
    this.#isSending = true;
  }

  /** What became of that request is known. */
  endSending(): void {
    this.#isSending = false;
    this.#stop?.();
  }

  /** Runs something when the call is aborted, until `offAbort`. */
  onAbort(run: () => void): void {
    this.#abortStep = run;
  }

  offAbort(run: () => void): void {
    if (this.#abortStep === run) this.#abortStep = undefined;
  }

  /** Lets go of the signal once the call has settled. */
  release(): void {
    try {
      this.#signal?.removeEventListener('abort', this.#onSignal);
    } catch {
      // A signal of the user that throws must not hide the outcome of the call.
    }
  }

  /** Waits for so long, for an abort, or until what `subscribe` was given is called, whichever comes first. */
  wait(ms: number, subscribe?: (ready: () => void) => void): Promise<WaitEnd> {
    return new Promise((resolve) => {
      const end = (how: WaitEnd): void => {
        cancelTimer();
        this.offAbort(onAbort);
        resolve(how);
      };
      const onAbort = (): void => end('aborted');
      const cancelTimer = this.#clock.setTimer(() => end('timeout'), ms);
      subscribe?.(() => end('ready'));
      this.onAbort(onAbort);
      if (this.aborted) onAbort();
    });
  }
}

/**
 * Runs something once the sockets have been read. After the whole process was paused (a closed lid, a stopped container),
 * timers are late, and a response that arrived meanwhile still counts.
 */
export function afterSockets(run: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(run);
  else setTimeout(run, 0);
}
