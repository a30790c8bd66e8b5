import type { OrderUpdate } from '@orders/schema';
import { createConnection, type OrdersClientOptions } from './fetch-connection.ts';
import { clientOf, type OrdersClient } from './orders-client.ts';

/**
 * Makes a client of the order service that sends over `fetch`. Nothing is sent until the first call.
 *
 * @example
 * const orders = createOrdersClient({ baseUrl, apiKey });
 * const { data } = await orders.updateOrder(token, { cart: { items: [] } });
 *
 * @throws TypeError when an option is missing or out of range; the message says what to write.
 */
export function createOrdersClient<Update extends OrderUpdate = OrderUpdate>(
  options: OrdersClientOptions<Update>,
): OrdersClient<Update> {
  return clientOf(createConnection(options));
}
