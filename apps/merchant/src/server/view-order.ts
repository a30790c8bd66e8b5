import type { OrderView } from '../contract/order-view.ts';
import type { DeskStorage, KeptOrder } from '../storage/desk-storage.ts';
import { webhookUrlOf } from './webhook-url.ts';

/** How many of an order's latest updates, and of their events, the editor is given. */
const limits = { updates: 20, events: 200 };

/** Puts together what the editor shows of an order. */
export async function viewOrder(
  storage: Pick<DeskStorage, 'orders' | 'updates' | 'events'>,
  order: KeptOrder,
  publicUrl: string,
): Promise<OrderView> {
  const { token, body, draft, qrSession } = order;
  const summary = (await storage.orders.list()).find((one) => one.token === token);
  if (!summary) throw new Error('An order went missing while it was read.');
  return {
    ...summary,
    body,
    draft,
    qrSession,
    webhookUrl: webhookUrlOf(publicUrl, order),
    updates: [...(await storage.updates.listOf(token, limits.updates))],
    events: [...(await storage.events.ofOrder(token, limits.events))],
  };
}
