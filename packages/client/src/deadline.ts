/** How a wait ended. */
export type WaitEnd = 'done' | 'timeout' | 'aborted';

/** The time a call has, and the signal that may end it sooner. */
export class Deadline {
  readonly #endsAt: number;
  readonly signal: AbortSignal | undefined;

  constructor(totalMs: number, signal: AbortSignal | undefined) {
    this.#endsAt = performance.now() + totalMs;
    this.signal = signal;
  }

  /** Milliseconds left; 0 when none is. */
  remainingMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /** Waits until `ready` is settled, the time is up or the signal fires, whichever comes first. */
  wait(ready: Promise<unknown>): Promise<WaitEnd> {
    return this.#race(this.remainingMs(), 'timeout', ready);
  }

  /** Waits for a pause to pass, or for the signal. */
  pause(ms: number): Promise<WaitEnd> {
    return this.#race(ms, 'done', undefined);
  }

  #race(ms: number, late: WaitEnd, ready: Promise<unknown> | undefined): Promise<WaitEnd> {
    return new Promise((resolve) => {
      const end = (how: WaitEnd): void => {
        clearTimeout(timer);
        this.signal?.removeEventListener('abort', aborted);
        resolve(how);
      };
      const aborted = (): void => end('aborted');
      const timer = setTimeout(() => end(late), ms);
      if (this.signal?.aborted) aborted();
      this.signal?.addEventListener('abort', aborted);
      const done = (): void => end('done');
      ready?.then(done, done);
    });
  }
}
