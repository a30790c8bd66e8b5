import type { Credentials } from '@orders/auth';
import { abortedFailure, type Call, endedFailure, timeoutFailure } from './call.ts';
import { type Clock, systemClock } from './deadline.ts';
import type { AttemptFailure } from './errors.ts';
import { check, checkCount, type RateLimitOptions } from './options.ts';

/** Called when a started attempt has ended, with whether a response came. */
export type EndAttempt = (responded: boolean) => void;

interface Pause {
  until: number;
  /** Whether `maxPauseMs` cut it short: one attempt then goes first, as a probe. */
  readonly probeFirst: boolean;
}

const ignore: EndAttempt = () => {};

/**
 * Spaces attempts evenly (the generic cell rate algorithm), and pauses those with a key that got a 429. It says how long
 * to wait; the caller waits.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #spacingMs: number;
  readonly #toleranceMs: number;
  readonly #maxPauseMs: number;
  /** By key; a function stands for the keys that it returns. */
  readonly #pauses = new Map<string | Credentials, Pause>();
  readonly #listeners = new Set<() => void>();
  /** When the next attempt is due if all before it came evenly. */
  #dueAt = 0;

  /** @throws TypeError when a rate or a burst is not positive. */
  constructor(options: RateLimitOptions | undefined, maxPauseMs: number, clock = systemClock) {
    const { requestsPerSecond, burst = 1 } = options ?? { requestsPerSecond: Number.POSITIVE_INFINITY };
    check(
      typeof requestsPerSecond === 'number' && requestsPerSecond > 0,
      'rateLimit.requestsPerSecond: write a number above 0.',
    );
    checkCount('rateLimit.burst', burst);
    this.#clock = clock;
    this.#spacingMs = 1_000 / requestsPerSecond;
    this.#toleranceMs = this.#spacingMs * (burst - 1);
    this.#maxPauseMs = maxPauseMs;
  }

  /** Calls `run` when a pause is lifted or the probe after a long pause has ended; returns a function that unsubscribes. */
  onChange(run: () => void): () => void {
    this.#listeners.add(run);
    return () => this.#listeners.delete(run);
  }

  /** Pauses attempts with these credentials for so long, at most `maxPauseMs`. */
  pause(credentials: Credentials, ms: number): void {
    const now = this.#clock.now();
    const until = now + Math.min(ms, this.#maxPauseMs);
    const pausedMs = this.pausedMs(credentials);
    if (pausedMs < Number.POSITIVE_INFINITY && until <= now + pausedMs) return;
    for (const [key, pause] of this.#pauses)
      if (pause.until + this.#maxPauseMs < now) this.#pauses.delete(key);
    this.#pauses.set(keyOf(credentials), { until, probeFirst: ms > this.#maxPauseMs });
  }

  /** How long a pause of these credentials still lasts: `Infinity` while the probe after a long pause is under way. */
  pausedMs(credentials: Credentials): number {
    if (this.#pauses.size === 0) return 0;
    const pause = this.#pauses.get(keyOf(credentials));
    return pause ? Math.max(0, pause.until - this.#clock.now()) : 0;
  }

  /** Lifts all pauses. */
  resume(): void {
    this.#pauses.clear();
    this.#notify();
  }

  /**
   * How long the next attempt must wait: for a pause, after which it reserves again, or for its slot at the rate limit,
   * which it takes only when it can wait that long.
   */
  reserveSlot(credentials: Credentials, maxWaitMs: number): number {
    const pausedMs = this.pausedMs(credentials);
    if (pausedMs > 0) return pausedMs;
    if (this.#spacingMs === 0) return 0;
    const now = this.#clock.now();
    const due = Math.max(this.#dueAt, now);
    const delay = Math.max(0, due - this.#toleranceMs - now);
    if (delay < maxWaitMs) this.#dueAt = due + this.#spacingMs;
    return delay;
  }

  /**
   * Starts an attempt: returns a function to call when it has ended, or `undefined` during a pause. The first attempt
   * after a long pause is a probe, which keeps the others waiting until it has ended.
   */
  start(credentials: Credentials): EndAttempt | undefined {
    if (this.#pauses.size === 0) return ignore;
    const key = keyOf(credentials);
    const pause = this.#pauses.get(key);
    if (pause && pause.until > this.#clock.now()) return undefined;
    this.#pauses.delete(key);
    if (!pause?.probeFirst) return ignore;
    const probing = { until: Number.POSITIVE_INFINITY, probeFirst: true };
    this.#pauses.set(key, probing);
    return (responded) => {
      // Without a response the next attempt is a probe, too; another 429 has set another pause by now.
      probing.until = 0;
      if (responded && this.#pauses.get(key) === probing) this.#pauses.delete(key);
      this.#notify();
    };
  }

  #notify(): void {
    for (const run of [...this.#listeners]) run();
  }
}

/**
 * Waits until neither the rate limit nor a pause holds the next attempt back; a call that cannot outlast them fails now.
 * It returns at once where there is nothing to wait for.
 */
export function waitForSlot(
  call: Call,
  rateLimit: RateLimit,
): AttemptFailure | undefined | Promise<AttemptFailure | undefined> {
  const { deadline, options } = call;
  const { credentials } = options;
  const ended = endedFailure(call, 'before the next attempt');
  if (ended) return ended;
  const remainingMs = deadline.remainingMs();
  const isPaused = rateLimit.pausedMs(credentials) > 0;
  const waitMs = rateLimit.reserveSlot(credentials, remainingMs);
  if (waitMs === 0) return undefined;
  // The probe after a long pause may end at any time, so it is waited for.
  if (waitMs >= remainingMs && waitMs < Number.POSITIVE_INFINITY) {
    const why = isPaused ? 'a 429 pauses this key' : 'rateLimit delays it';
    const retryAfterMs = Math.ceil(waitMs);
    const what = `${why} for ${retryAfterMs} ms, longer than timeouts.total allows`;
    return { ...timeoutFailure(call, ''), what, retryAfterMs };
  }
  const onChange = isPaused ? (wake: () => void) => rateLimit.onChange(wake) : undefined;
  return deadline.wait(Math.min(waitMs, remainingMs), onChange).then((end) => {
    if (end === 'aborted') return abortedFailure(call);
    // After a pause every call reserves again; a call that has a slot goes on, unless a pause began meanwhile.
    const goesOn = !isPaused && rateLimit.pausedMs(credentials) === 0;
    return goesOn ? undefined : waitForSlot(call, rateLimit);
  });
}

function keyOf(credentials: Credentials): string | Credentials {
  return typeof credentials === 'function' ? credentials : credentials.reveal();
}
