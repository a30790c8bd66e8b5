/** An attempt that takes a slot: the `Turn` of its call, which makes one at a time. */
export interface Attempt {
  /** When its first byte was sent, on the client's clock. */
  readonly sentAt: number;
}

/** A slot that is used at most so much late moves none that follow: timers are late by a few milliseconds. */
const catchUpMs = 5;

/** Clocks count in fractions: less than this is no time. In milliseconds. */
const noMs = 0.001;

/**
 * Spaces attempts evenly (the generic cell rate algorithm). An attempt reserves a slot, connects, and takes the slot with its
 * first byte: one that connects slowly, or is never sent, takes none from the others.
 */
export class Slots {
  /** The time between two slots, in milliseconds. */
  spacingMs: number;
  readonly #toleranceMs: number;
  /** When the next slot is, by what was sent. */
  #dueAt = 0;
  /** When the next slot is, by what was reserved. */
  #nextAt = 0;

  constructor(perSecond: number, burst: number) {
    this.spacingMs = 1_000 / perSecond;
    this.#toleranceMs = this.spacingMs * (burst - 1);
  }

  /** How long until a slot can be reserved by an attempt that has so many others ahead, in milliseconds. */
  delayMs(now: number, ahead = 0): number {
    const dueAt = Math.max(this.#dueAt, this.#nextAt, now - catchUpMs) + ahead * this.spacingMs;
    return this.#until(dueAt, now);
  }

  reserve(now: number, _attempt?: Attempt): void {
    this.#nextAt = Math.max(this.#nextAt, this.#dueAt, now - catchUpMs) + this.spacingMs;
  }

  /** Cancels a reservation. */
  cancel(_attempt?: Attempt): void {
    this.#nextAt -= this.spacingMs;
  }

  /** Whether a slot can be taken now. */
  isFree(now: number, _attempt?: Attempt): boolean {
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
