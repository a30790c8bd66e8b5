import { setTimeout as rest } from 'node:timers/promises';
import { startMockOrderService } from '@orders/testing';
import { monotonicMs } from '../clock.ts';
import { indexOf, tokenAt } from '../workload.ts';

/** The key that updates are sent with. */
export const serviceKey = 'scale-key';

/** How long to rest when what arrived was not what was waited for, in milliseconds. */
const lookEveryMs = 5;

/** What the service saw since it was last reset. */
export interface ServiceRecord {
  /** When each request arrived, in milliseconds by the clock of `monotonicMs`. */
  readonly arrivals: Float64Array;
  /** The numbers of the updates applied, in the order applied. */
  readonly applied: Int32Array;
}

/** Starts the order service that all send to. */
export async function startServiceRole({ orders }: { readonly orders: number }) {
  const tokens = Array.from({ length: orders }, (_, order) => tokenAt(order));
  const service = await startMockOrderService({ keys: [serviceKey], orders: tokens, now: monotonicMs });
  const applied = (): number[] => service.ledger.map(({ body }) => indexOf(body));
  return {
    url: () => service.url,
    /** Waits until so many different updates were applied; gives whether they were in time. */
    async waitFor(updates: number, withinMs: number): Promise<boolean> {
      const late = rest(withinMs, false, { ref: false });
      for (;;) {
        const known = applied();
        const missing = updates - new Set(known).size;
        if (missing <= 0) return true;
        const arrived = service.waitForRequests(known.length + missing).then(() => true);
        if (!(await Promise.race([arrived, late]))) return false;
        if (new Set(applied()).size < updates) await rest(lookEveryMs);
      }
    },
    /** How many requests came, and when the last did. */
    latest: () => ({ count: service.journal.length, at: service.journal.at(-1)?.at ?? Number.NaN }),
    record: (): ServiceRecord => ({
      arrivals: Float64Array.from(service.journal, ({ at }) => at),
      applied: Int32Array.from(applied()),
    }),
    reset: () => service.reset(),
  };
}

export type ServiceApi = Awaited<ReturnType<typeof startServiceRole>>;
