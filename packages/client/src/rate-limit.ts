/** How fast a client sends: attempts are counted, not calls. */
export interface RateLimitOptions {
  /** Attempts per second on average. */
  readonly requestsPerSecond: number;
  /**
   * Attempts that may leave at once after a quiet time.
   * @default 1
   */
  readonly burst?: number;
}

/**
 * Spaces attempts evenly (the generic cell rate algorithm) and holds all of them back while the service
 * asks for a pause. Pure but for its own state: the caller passes the time, in milliseconds, and waits.
 */
export class RateLimit {
  readonly #spacingMs: number;
  readonly #toleranceMs: number;
  /** When the next attempt is due if all before it came evenly. */
  #dueAt = 0;
  #pausedUntil = 0;

  /** @throws TypeError when a rate or a burst is not positive. */
  constructor(options: RateLimitOptions | undefined) {
    const { requestsPerSecond, burst = 1 } = options ?? { requestsPerSecond: Number.POSITIVE_INFINITY };
    if (!(requestsPerSecond > 0)) throw new TypeError('rateLimit.requestsPerSecond: write a number above 0.');
    if (!Number.isSafeInteger(burst) || burst < 1)
      throw new TypeError('rateLimit.burst: write a whole number from 1 on.');
    this.#spacingMs = 1_000 / requestsPerSecond;
    this.#toleranceMs = this.#spacingMs * (burst - 1);
  }

  /** Holds every attempt back for so long from `now`. */
  pause(now: number, ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now + ms);
  }

  /** How long the service's pause still lasts. */
  pausedMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** How long the next attempt must wait; it takes its place only when it can wait that long. */
  reserve(now: number, patienceMs: number): number {
    const earliest = Math.max(now, this.#pausedUntil);
    const due = Math.max(this.#dueAt, earliest);
    const delay = Math.max(earliest, due - this.#toleranceMs) - now;
    if (delay < patienceMs) this.#dueAt = due + this.#spacingMs;
    return delay;
  }
}
