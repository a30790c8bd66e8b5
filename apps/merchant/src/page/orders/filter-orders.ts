import type { OrderSummary } from '../../contract/order-view.ts';

/** The orders that hold the text in their number, token or currency, whatever its case. */
export function filterOrders(orders: readonly OrderSummary[], text: string): readonly OrderSummary[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return orders;
  return orders.filter(({ token, orderId, currency }) =>
    [token, orderId, currency].some((held) => held?.toLowerCase().includes(wanted)),
  );
}
