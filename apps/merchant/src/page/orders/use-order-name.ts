import { useOrders } from '../api/orders.ts';
import { orderTitle } from './order-title.ts';

/** What an order is called, by its token. */
export function useOrderName(token: string): string {
  const order = useOrders().data?.orders.find((one) => one.token === token);
  return orderTitle(order ?? { token, orderId: null });
}
