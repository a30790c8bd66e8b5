import { type Attempt, Slots } from './slots.ts';

/** The pace after a first 429. */
const firstPerSecond = 10;
/** The bounds of a pace: the time between two attempts, in milliseconds. */
const slowestMs = 8_000;
const unlimitedMs = 1;
/** A service for which it slowed down more often than this in a row is taken to accept nothing. */
const maxSlowedInARow = 3;

/** The pace grows by this factor with each response: `fast` while the spacing is above `#fastAboveMs`, else `slow`. */
const fast = 1.25;
const slow = 1.03;

/** For so long it counts what was accepted in a second, and a pace that nothing used is not forgotten, in milliseconds. */
const memoryMs = 60_000;

/**
 * The slots of a key that got a 429: none during a pause; after a pause that was cut short, one for a probe; and then those
 * of a pace, which halves with each 429 and grows with each other response.
 */
export class KeyPace extends Slots {
  readonly #maxPauseMs: number;
  #pausedUntil = 0;
  /** Whether `maxPauseMs` cut the pause short: one attempt then goes first, as a probe. */
  #isCutShort = false;
  #probe: Attempt | undefined;
  /** Attempts that were sent before then say nothing of the pace. */
  #slowedAt: number;
  #usedAt: number;
  /** The spacing above which the pace grows fast: twice the one that was too close. */
  #fastAboveMs = 0;
  /** How often it slowed down since a response was no 429. */
  #slowedInARow = 0;
  /** Responses in this second, and the most in a second, each with its time. */
  #second = { count: 0, at: 0 };
  #best = { count: 1, at: 0 };

  constructor(maxPauseMs: number, now: number) {
    super(firstPerSecond, 1);
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
    return this.spacingMs < unlimitedMs || now - Math.max(this.#usedAt, this.#pausedUntil) > memoryMs;
  }

  override delayMs(now: number, ahead: number): number {
    return Math.max(this.pausedMs(now), super.delayMs(now, ahead));
  }

  override isFree(now: number, attempt: Attempt): boolean {
    return this.pausedMs(now, attempt) === 0 && super.isFree(now);
  }

  /** The first attempt after a pause that was cut short is the probe. */
  override reserve(now: number, attempt: Attempt): void {
    super.reserve(now);
    this.#usedAt = now;
    if (this.#isCutShort) this.#probe = attempt;
  }

  override cancel(attempt: Attempt): void {
    super.cancel();
    this.ended(attempt, false, 0);
  }

  /** An attempt got a 429, which asks for a pause of so long. */
  refused(attempt: Attempt, pauseMs: number, now: number): void {
    this.#usedAt = now;
    if (this.#probe === attempt) this.#probe = undefined;
    if (attempt.sentAt >= this.#slowedAt) this.#slowDown(now);
    const until = now + Math.min(pauseMs, this.#maxPauseMs);
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#isCutShort = pauseMs > this.#maxPauseMs;
  }

  /**
   * Halves the pace. Unless the service is taken to accept nothing, that is at least half of what it took in a second:
   * one that refuses now and then for reasons of its own, such as a limit of one order, does so at any pace.
   */
  #slowDown(now: number): void {
    this.#slowedAt = now;
    this.#slowedInARow++;
    const longestMs = this.#slowedInARow > maxSlowedInARow ? slowestMs : 2_000 / this.#best.count;
    const spacingMs = Math.max(this.spacingMs, Math.min(longestMs, this.spacingMs * 2));
    if (this.#slowedInARow === 1) this.#fastAboveMs = spacingMs;
    this.spacingMs = spacingMs;
  }

  /** An attempt ended in another way. After a probe without a response, the next attempt is a probe, too. */
  ended(attempt: Attempt, responded: boolean, now: number): void {
    if (this.#probe === attempt) {
      this.#probe = undefined;
      this.#isCutShort = !responded;
    }
    if (!responded) return;
    this.#countAccepted(now);
    if (attempt.sentAt < this.#slowedAt) return;
    this.#slowedInARow = 0;
    this.spacingMs /= this.spacingMs > this.#fastAboveMs ? fast : slow;
  }

  #countAccepted(now: number): void {
    if (now - this.#second.at >= 1_000) this.#second = { count: 0, at: now };
    this.#second.count++;
    if (this.#second.count >= this.#best.count || now - this.#best.at > memoryMs)
      this.#best = { ...this.#second, at: now };
  }
}
