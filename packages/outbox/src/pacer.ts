import { askAgainMs, type Outage } from './outage.ts';
import { intervalOf, type Rate, reservePlaces } from './pace.ts';
import { rest } from './rest.ts';
import type { OutboxStore } from './store/outbox-store.ts';

/** Keeps a worker to the rate that all processes share. */
export interface Pacer {
  /** How many more updates may wait for their place: others could send those that would wait for long. */
  headroom(): number;
  /**
   * Reserves places, and gives when each is due, by the clock of `performance.now()`, 0 for at once where there is no
   * rate; undefined when the worker stops first.
   */
  reserve(count: number): Promise<readonly number[] | undefined>;
  /**
   * Waits until shortly before a place, so that what must be stored first is stored in time. Gives whether it came so
   * far, rather than that the worker stops.
   */
  approach(dueAt: number): Promise<boolean>;
  /**
   * Waits for the place itself, or for another where it is over. Gives whether it came, as above.
   * @param tookMs How long it took to store that the update leaves, in milliseconds.
   */
  reach(dueAt: number, tookMs: number): Promise<boolean>;
}

/** How long before its place an update is marked as being sent, in milliseconds: longer where that takes longer. */
const leadMs = { least: 25, most: 1_000 };
/** How late an update may leave in its place, in milliseconds; then it takes another place. */
const lateAtLeastMs = 25;
/** Where places lie far apart it may be later, by this share of the way to the next: less than they lie apart too far. */
const lateShare = 0.03;

/** Makes the pacer of one worker; without a rate nothing waits. */
export function pacerOf(parts: {
  readonly store: OutboxStore;
  readonly schema: string;
  readonly rate: Rate | undefined;
  /** Updates on their way at once, over all processes. */
  readonly concurrency: number;
  readonly outage: Outage;
  /** Fires when the worker stops. */
  readonly signal: AbortSignal;
}): Pacer {
  const { store, schema, rate, concurrency, outage, signal } = parts;
  if (!rate) {
    return {
      headroom: () => Number.POSITIVE_INFINITY,
      reserve: async (count) => Array.from({ length: count }, () => 0),
      approach: async () => true,
      reach: async () => true,
    };
  }
  const { perSecond, burst = 1 } = rate;
  const lateMs = Math.max(lateAtLeastMs, intervalOf(rate) * lateShare);
  let lead = leadMs.least;
  let waiting = 0;

  async function reserve(count: number): Promise<readonly number[] | undefined> {
    while (!signal.aborted) {
      try {
        const waits = await reservePlaces(store, schema, { perSecond, burst, concurrency }, count);
        const now = performance.now();
        return waits.map((ms) => now + ms);
      } catch (error) {
        outage.fails(error);
        await rest(askAgainMs, signal);
      }
    }
    return undefined;
  }

  async function waitUntil(moment: number): Promise<boolean> {
    const ms = moment - performance.now();
    if (ms <= 0) return !signal.aborted;
    waiting++;
    const came = await rest(ms, signal);
    waiting--;
    return came;
  }

  return {
    headroom: () => Math.ceil(perSecond) + burst - waiting,
    reserve: async (count) => (count > 0 ? reserve(count) : []),
    approach: (dueAt) => waitUntil(dueAt - lead),
    async reach(dueAt, tookMs) {
      lead = Math.max(leadMs.least, Math.min(leadMs.most, Math.max(1.5 * tookMs, 0.95 * lead)));
      let due: number | undefined = dueAt;
      while (due !== undefined) {
        if (!(await waitUntil(due))) return false;
        if (performance.now() - due <= lateMs) return true;
        // Many that are late together would leave faster than the rate.
        [due] = (await reserve(1)) ?? [];
      }
      return false;
    },
  };
}
