/** How a wait ended. */
type WaitEnd = 'ready' | 'timeout' | 'aborted';

type Subscribe = (ready: () => void) => (() => void) | undefined;

/** The time a call has, and the signal that may end it sooner. */
export class Deadline {
  readonly #startedAt = performance.now();
  readonly #totalMs: number;
  readonly signal: AbortSignal | undefined;

  constructor(totalMs: number, signal: AbortSignal | undefined) {
    this.#totalMs = totalMs;
    this.signal = signal;
  }

  /** Milliseconds since the call was made. */
  elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Milliseconds left; 0 when none is. */
  remainingMs(): number {
    return Math.max(0, this.#totalMs - this.elapsedMs());
  }

  /** Waits for so long, for the signal, or for what `subscribe` calls, whichever comes first; it may return what ends the subscription. */
  wait(ms: number, subscribe?: Subscribe): Promise<WaitEnd> {
    return new Promise((resolve) => {
      const end = (how: WaitEnd): void => {
        clearTimeout(timer);
        unsubscribe?.();
        this.signal?.removeEventListener('abort', aborted);
        resolve(how);
      };
      const aborted = (): void => end('aborted');
      const timer = setTimeout(() => afterSockets(() => end('timeout')), ms);
      const unsubscribe = subscribe?.(() => end('ready'));
      this.signal?.addEventListener('abort', aborted);
      if (this.signal?.aborted) aborted();
    });
  }
}

/**
 * Runs once the sockets have been read. After a pause of the whole process (a closed lid, a stopped container) timers
 * are late, and what arrived meanwhile still counts.
 */
export function afterSockets(run: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(run);
  else setTimeout(run, 0);
}
