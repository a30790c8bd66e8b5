import type { OrdersClient } from '@orders/client';
import { sent } from './facts.ts';

/** Does what a shop does with the client, over the transport that its runtime must get, and ends with the one update that counts. */
export async function updateOneOrder(
  orders: OrdersClient,
  token: string,
  transport: string | undefined,
): Promise<void> {
  if (orders.transport !== transport) throw new Error(`The client sends over ${orders.transport}.`);
  const refused = await orders.safeUpdateOrder(token, { cart: { items: [{ unit_price: 99.5 }] } });
  if (refused.ok || refused.error.code !== 'validation_error') throw new Error('A bad body was sent.');
  const [issue] = refused.error.issues;
  if (issue?.path !== 'cart.items[0].unit_price' || !issue.hint) throw new Error('It is not explained.');
  await orders.echo();
  const { status, attemptCount } = await orders.updateOrder(token, sent);
  if (status !== 200 || attemptCount !== 1)
    throw new Error(`Status ${status} after ${attemptCount} attempts.`);
}
