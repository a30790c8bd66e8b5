import type { OrdersClient } from '@orders/client';
import { sent } from './facts.ts';

/** Does what a shop does with the client, and ends with the one update that counts. */
export async function updateOneOrder(orders: OrdersClient, token: string): Promise<void> {
  const refused = await orders.safeUpdateOrder(token, { cart: { items: [{ unit_price: 99.5 }] } });
  if (refused.ok || refused.error.code !== 'invalid_request') throw new Error('A bad body was sent.');
  const [issue] = refused.error.issues;
  if (issue?.path !== 'cart.items[0].unit_price' || !issue.hint) throw new Error('It is not explained.');
  await orders.echoWithPrivateKey();
  const { status, attempts } = await orders.updateOrder(token, sent);
  if (status !== 200 || attempts !== 1) throw new Error(`Status ${status} after ${attempts} attempts.`);
}
