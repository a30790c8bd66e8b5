import type { OrderUpdate } from '@orders/schema';
import type { KnownOrder } from '../contract/known-order.ts';
import type { UpdateReport } from '../contract/update-report.ts';

/** The orders that this merchant knows. Asynchronous throughout, so that a database can stand here. */
export interface KnownOrders {
  /** Every order, in the order they became known. */
  list(): Promise<readonly KnownOrder[]>;
  /** The order of this token; undefined when the merchant knows none. */
  find(token: string): Promise<KnownOrder | undefined>;
  /** Notes the update that was sent last, and what became of it. */
  record(token: string, draft: OrderUpdate, report: UpdateReport): Promise<void>;
}

/** Keeps the orders in memory: they are gone when the process ends. */
export function createKnownOrders(seed: Iterable<Pick<KnownOrder, 'token' | 'draft'>>): KnownOrders {
  const orders = new Map<string, KnownOrder>();
  for (const { token, draft } of seed) orders.set(token, { token, draft, report: null });

  return {
    list: async () => [...orders.values()],
    find: async (token) => orders.get(token),
    record: async (token, draft, report) => {
      orders.set(token, { token, draft, report });
    },
  };
}
