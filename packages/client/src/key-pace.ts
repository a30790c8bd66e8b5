import { Slots } from './slots.ts';

/** An attempt with the key. */
interface Attempt {
  /** When it left, on the client's clock. */
  readonly leftAt: number;
}

/** The pace after a first 429, and its bounds: the time between two attempts in milliseconds. */
const firstMs = 100;
const slowestMs = 8_000;
const unlimitedMs = 1;

/** The pace grows by this factor with each response: below what was held up to now, and above. */
const fast = 1.25;
const slow = 1.02;

/** A pace that nothing used for so long is forgotten, in milliseconds. */
const memoryMs = 60_000;

/**
 * What holds back the attempts with a key that got a 429: a pause; after one that was cut short, a probe that goes first;
 * and then a pace, which halves with each 429 and grows with each other response.
 */
export class KeyPace {
  readonly slots = new Slots(1_000 / firstMs, 1);
  readonly #maxPauseMs: number;
  #pausedUntil = 0;
  /** Whether `maxPauseMs` cut the pause short: one attempt then goes first, as a probe. */
  #isCutShort = false;
  #probe: Attempt | undefined;
  /** Attempts that left before then say nothing of the pace. */
  #slowedAt: number;
  #usedAt: number;
  /** The pace below which it grows fast: half of the one that was too much. */
  #thresholdMs = 0;
  #acceptedSince = false;

  constructor(maxPauseMs: number, now: number) {
    this.#maxPauseMs = maxPauseMs;
    this.#slowedAt = now;
    this.#usedAt = now;
  }

  /** How long it still pauses an attempt: `Infinity` while the probe of another one is under way. */
  pausedMs(now: number, attempt?: Attempt): number {
    if (this.#probe && this.#probe !== attempt) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#pausedUntil - now);
  }

  /** Whether it holds back nothing any more. */
  isOver(now: number): boolean {
    if (this.#probe || this.#isCutShort || now < this.#pausedUntil) return false;
    return this.slots.spacingMs < unlimitedMs || now - this.#usedAt > memoryMs;
  }

  /** An attempt is let go: the first after a pause that was cut short is the probe. */
  letGo(attempt: Attempt, now: number): void {
    this.#usedAt = now;
    if (this.#isCutShort) this.#probe = attempt;
  }

  /** An attempt got a 429, which asks for a pause of so long. */
  refused(attempt: Attempt, pauseMs: number, now: number): void {
    this.#usedAt = now;
    if (this.#probe === attempt) this.#probe = undefined;
    if (attempt.leftAt >= this.#slowedAt) this.#slowDown(now);
    const until = now + Math.min(pauseMs, this.#maxPauseMs);
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#isCutShort = pauseMs > this.#maxPauseMs;
  }

  #slowDown(now: number): void {
    this.#slowedAt = now;
    const spacingMs = Math.min(slowestMs, this.slots.spacingMs * 2);
    if (this.#acceptedSince) this.#thresholdMs = spacingMs;
    this.#acceptedSince = false;
    this.slots.spacingMs = spacingMs;
  }

  /** An attempt ended in another way. After a probe without a response, the next attempt is a probe, too. */
  ended(attempt: Attempt, responded: boolean): void {
    if (responded && attempt.leftAt >= this.#slowedAt) {
      this.#acceptedSince = true;
      this.slots.spacingMs /= this.slots.spacingMs > this.#thresholdMs ? fast : slow;
    }
    if (this.#probe !== attempt) return;
    this.#probe = undefined;
    if (responded) this.#isCutShort = false;
  }
}
