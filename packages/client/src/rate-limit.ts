import type { Credentials } from '@orders/auth';
import { check, checkWhole } from './check.ts';

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

/** Called when an attempt that was let through has ended: whether a response came. */
export type EndAttempt = (responded: boolean) => void;

interface Pause {
  until: number;
  /** Cut short by the longest pause: when it is over, one attempt goes first and shows whether the others may. */
  readonly probeFirst: boolean;
}

const ignore: EndAttempt = () => {};

/**
 * Spaces attempts evenly (the generic cell rate algorithm), and holds back those whose key the service asked to pause.
 * The caller waits. `now` is in milliseconds on any one clock.
 */
export class RateLimit {
  readonly #spacingMs: number;
  readonly #toleranceMs: number;
  readonly #maxPauseMs: number;
  /** By key; a function that returns keys stands for those it returns. */
  readonly #pauses = new Map<string | Credentials, Pause>();
  readonly #listeners = new Set<() => void>();
  /** When the next attempt is due if all before it came evenly. */
  #dueAt = 0;

  /** @throws TypeError when a rate or a burst is not positive. */
  constructor(options: RateLimitOptions | undefined, maxPauseMs: number) {
    const { requestsPerSecond, burst = 1 } = options ?? { requestsPerSecond: Number.POSITIVE_INFINITY };
    check(requestsPerSecond > 0, 'rateLimit.requestsPerSecond: write a number above 0.');
    checkWhole('rateLimit.burst', burst);
    this.#spacingMs = 1_000 / requestsPerSecond;
    this.#toleranceMs = this.#spacingMs * (burst - 1);
    this.#maxPauseMs = maxPauseMs;
  }

  /** Calls `run` when a pause is lifted or an attempt that went first has ended; returns what takes that back. */
  onChange(run: () => void): () => void {
    this.#listeners.add(run);
    return () => this.#listeners.delete(run);
  }

  /** Holds every attempt with these credentials back for so long from `now`, at most the longest pause. */
  pause(credentials: Credentials, ms: number, now = performance.now()): void {
    const until = now + Math.min(ms, this.#maxPauseMs);
    const pausedMs = this.pausedMs(credentials, now);
    if (pausedMs < Number.POSITIVE_INFINITY && until <= now + pausedMs) return;
    for (const [key, pause] of this.#pauses)
      if (pause.until + this.#maxPauseMs < now) this.#pauses.delete(key);
    this.#pauses.set(keyOf(credentials), { until, probeFirst: ms > this.#maxPauseMs });
  }

  /** How long a pause of these credentials still lasts: `Infinity` until the attempt that goes first has ended. */
  pausedMs(credentials: Credentials, now = performance.now()): number {
    const pause = this.#pauses.get(keyOf(credentials));
    return pause ? Math.max(0, pause.until - now) : 0;
  }

  /** Lifts all pauses. */
  resume(): void {
    this.#pauses.clear();
    this.#notify();
  }

  /**
   * How long the next attempt must wait: for a pause, after which it asks again, or for its slot at the rate limit, which it
   * takes only when it can wait that long.
   */
  reserve(credentials: Credentials, maxWaitMs: number, now = performance.now()): number {
    const pausedMs = this.pausedMs(credentials, now);
    if (pausedMs > 0) return pausedMs;
    const due = Math.max(this.#dueAt, now);
    const delay = Math.max(0, due - this.#toleranceMs - now);
    if (delay < maxWaitMs) this.#dueAt = due + this.#spacingMs;
    return delay;
  }

  /**
   * Lets an attempt leave now: returns what to call when it has ended, or `undefined` while a pause holds it back. The
   * attempt that goes first after a long pause holds the others back until it has ended.
   */
  start(credentials: Credentials, now = performance.now()): EndAttempt | undefined {
    const key = keyOf(credentials);
    const pause = this.#pauses.get(key);
    if (pause && pause.until > now) return undefined;
    this.#pauses.delete(key);
    if (!pause?.probeFirst) return ignore;
    const probing = { until: Number.POSITIVE_INFINITY, probeFirst: true };
    this.#pauses.set(key, probing);
    return (responded) => {
      // Without a response the next attempt goes first; another 429 has set another pause by now.
      probing.until = 0;
      if (responded && this.#pauses.get(key) === probing) this.#pauses.delete(key);
      this.#notify();
    };
  }

  #notify(): void {
    for (const run of [...this.#listeners]) run();
  }
}

function keyOf(credentials: Credentials): string | Credentials {
  return typeof credentials === 'function' ? credentials : credentials.reveal();
}
