import type { OrdersClient } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import type { UpdateReport } from '../contract/update-report.ts';
import type { KnownOrders } from './known-orders.ts';
import { reportUpdate } from './report-update.ts';

export interface UpdateSenderOptions {
  readonly orders: Pick<OrdersClient, 'safeUpdateOrder'>;
  readonly knownOrders: KnownOrders;
  /** @default () => new Date() */
  readonly now?: () => Date;
  /** Ends every send when the desk itself must end. */
  readonly signal?: AbortSignal;
}

/** Sends an update to the order service and remembers it with its outcome; never rejects. */
export type SendUpdate = (token: string, update: OrderUpdate) => Promise<UpdateReport>;

export function createUpdateSender({
  orders,
  knownOrders,
  now = () => new Date(),
  signal,
}: UpdateSenderOptions): SendUpdate {
  return async (token, update) => {
    // A closed tab does not end a send: what is cut off has an unknown outcome.
    const result = await orders.safeUpdateOrder(token, update, signal ? { signal } : {});
    const report = reportUpdate(result, now());
    await knownOrders.record(token, update, report);
    return report;
  };
}
