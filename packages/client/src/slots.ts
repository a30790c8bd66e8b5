/** A slot that is used at most so much late moves none that follow: timers are late by a few milliseconds. */
const catchUpMs = 5;

/** Clocks count in fractions: less than this is no time. In milliseconds. */
const noMs = 0.001;

/**
 * Spaces departures evenly (the generic cell rate algorithm). An attempt is let go when a slot is near, and takes the slot
 * when it leaves: one that connects slowly, or never leaves, takes none from the others.
 */
export class Slots {
  /** The time between two slots, in milliseconds. */
  spacingMs: number;
  readonly #toleranceMs: number;
  /** When the next departure is due if all before it came evenly. */
  #dueAt = 0;
  /** When the next attempt is to be let go if all before it leave at once. */
  #nextAt = 0;

  constructor(perSecond: number, burst: number) {
    this.spacingMs = 1_000 / perSecond;
    this.#toleranceMs = this.spacingMs * (burst - 1);
  }

  /** How long until an attempt may be let go that has so many others before it, in milliseconds. */
  delayMs(now: number, ahead = 0): number {
    const dueAt = Math.max(this.#dueAt, this.#nextAt, now - catchUpMs) + ahead * this.spacingMs;
    return this.#until(dueAt, now);
  }

  letGo(now: number): void {
    this.#nextAt = Math.max(this.#nextAt, this.#dueAt, now - catchUpMs) + this.spacingMs;
  }

  /** One that was let go does not leave. */
  giveBack(): void {
    this.#nextAt -= this.spacingMs;
  }

  /** Whether an attempt may leave now. */
  isFree(now: number): boolean {
    return this.#until(this.#dueAt, now) === 0;
  }

  take(now: number): void {
    this.#dueAt = Math.max(this.#dueAt, now - catchUpMs) + this.spacingMs;
  }

  #until(dueAt: number, now: number): number {
    const ms = dueAt - this.#toleranceMs - now;
    return ms < noMs ? 0 : ms;
  }
}
