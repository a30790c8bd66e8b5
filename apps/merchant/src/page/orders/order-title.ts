import type { OrderSummary } from '../../contract/order-view.ts';
import { orderWords } from '../words/orders.ts';

/** What an order is called: the merchant's own number, else the end of its token. */
export function orderTitle({ token, orderId }: Pick<OrderSummary, 'token' | 'orderId'>): string {
  return orderId ?? orderWords.unnamed(token.slice(-4));
}
