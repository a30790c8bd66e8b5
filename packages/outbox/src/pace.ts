import { setTimeout as sleep } from 'node:timers/promises';
import { allowedLateMs, type Rate, type Slots } from './limits.ts';

/**
 * Lets the updates of one process leave at the rate. A slot of the database says when an update should leave; only what
 * really left says whether the next may, whatever stalled in between: the process, its connections or the database.
 */
export class Pace {
  readonly #rate: Rate;
  readonly #takeSlots: (count: number) => Promise<Pick<Slots, 'waitsMs'>>;
  /** When the next would leave if all before it had left evenly, by the clock of `performance.now()`. */
  #dueAt = Number.NEGATIVE_INFINITY;
  /** Those that wait for another slot, which are taken together. */
  #takers: ((slotAt: number) => void)[] = [];

  constructor(rate: Rate, takeSlots: (count: number) => Promise<Pick<Slots, 'waitsMs'>>) {
    this.#rate = rate;
    this.#takeSlots = takeSlots;
  }

  /**
   * Waits for a slot, by the clock of `performance.now()`, and takes another where it is over or there is none. Resolves with
   * false where that is further away than `leftMs` says then.
   */
  async wait(slotAt: number | undefined, leftMs: () => number, ending: AbortSignal): Promise<boolean> {
    const at = Math.max(slotAt ?? (await this.#takeSlot()), this.#earliestAt());
    const waitMs = at - performance.now();
    if (waitMs > leftMs()) return false;
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: ending }).catch(() => {});
    // One other slot at most: a process that is always late would wait forever, and `leave` spaces it all the same.
    const isOver = performance.now() - at > allowedLateMs(this.#rate);
    return isOver && slotAt !== undefined && !ending.aborted ? this.wait(undefined, leftMs, ending) : true;
  }

  /** Whether an update may leave at this very moment; it counts as gone then. */
  leave(): boolean {
    const now = performance.now();
    if (this.#earliestAt() > now) return false;
    this.#dueAt = Math.max(this.#dueAt, now) + 1_000 / this.#rate.perSecond;
    return true;
  }

  #earliestAt(): number {
    const { perSecond, burst = 1 } = this.#rate;
    return this.#dueAt - ((burst - 1) * 1_000) / perSecond - allowedLateMs(this.#rate);
  }

  /** When the next free slot is. Without the database, what has left here decides alone. */
  #takeSlot(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#takers.push(resolve);
    if (this.#takers.length === 1) setImmediate(() => void this.#takeAll());
    return promise;
  }

  async #takeAll(): Promise<void> {
    const takers = this.#takers;
    this.#takers = [];
    const { waitsMs } = await this.#takeSlots(takers.length).catch(() => ({ waitsMs: [] as number[] }));
    const now = performance.now();
    for (const [index, resolve] of takers.entries()) resolve(now + (waitsMs[index] ?? 0));
  }
}
