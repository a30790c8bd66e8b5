import type { KnownOrder } from '../../contract/known-order.ts';
import { words } from '../words.ts';

/** What an order is called: the merchant's own number, else the end of its token. */
export function orderTitle({ token, draft }: Pick<KnownOrder, 'token' | 'draft'>): string {
  return draft.order_id ?? words.orders.unnamed(token.slice(-4));
}
