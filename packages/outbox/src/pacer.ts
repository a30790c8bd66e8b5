import { askAgainMs, type Outage } from './outage.ts';
import { type Rate, reservePlaces } from './pace.ts';
import { rest } from './rest.ts';
import type { OutboxStore } from './store/outbox-store.ts';

/** Keeps a worker to the rate that all processes share. */
export interface Pacer {
  /** How many more updates may wait for their place: others could send those that would wait for long. */
  headroom(): number;
  /** Reserves places, and gives how long each has to wait, in milliseconds; undefined when the worker stops first. */
  reserve(count: number): Promise<readonly number[] | undefined>;
  /** Waits for a place; gives whether it came, rather than that the worker stops. */
  waitFor(waitMs: number): Promise<boolean>;
}

/** How late an update may leave in its place, in milliseconds; then it takes another place. */
const lateMs = 25;

/** Makes the pacer of one worker; without a rate nothing waits. */
export function pacerOf(parts: {
  readonly store: OutboxStore;
  readonly schema: string;
  readonly rate: Rate | undefined;
  readonly outage: Outage;
  /** Fires when the worker stops. */
  readonly signal: AbortSignal;
}): Pacer {
  const { store, schema, rate, outage, signal } = parts;
  if (!rate) {
    return {
      headroom: () => Number.POSITIVE_INFINITY,
      reserve: async (count) => Array.from({ length: count }, () => 0),
      waitFor: async () => true,
    };
  }
  const { perSecond, burst = 1 } = rate;
  let waiting = 0;

  async function reserve(count: number): Promise<readonly number[] | undefined> {
    while (!signal.aborted) {
      try {
        return await reservePlaces(store, schema, { perSecond, burst }, count);
      } catch (error) {
        outage.fails(error);
        await rest(askAgainMs, signal);
      }
    }
    return undefined;
  }

  return {
    headroom: () => Math.ceil(perSecond) + burst - waiting,
    reserve: async (count) => (count > 0 ? reserve(count) : []),
    async waitFor(waitMs) {
      let ms: number | undefined = waitMs;
      while (ms !== undefined && ms > 0) {
        const dueAt: number = performance.now() + ms;
        waiting++;
        const came = await rest(ms, signal);
        waiting--;
        if (!came) return false;
        if (performance.now() - dueAt <= lateMs) return true;
        // Many that are late together would leave faster than the rate.
        [ms] = (await reserve(1)) ?? [];
      }
      return ms === 0;
    },
  };
}
