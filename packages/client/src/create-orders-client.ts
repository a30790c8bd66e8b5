import type { OrderUpdate } from '@orders/schema';
import { createConnection } from './connection.ts';
import { type Echo, echoWithPrivateKey } from './echo-with-private-key.ts';
import type { CallOptions, OrdersClientOptions } from './settings.ts';
import { safeUpdateOrder, type UpdatedOrder, type UpdateOrderResult, updateOrder } from './update-order.ts';

/** A client of the order service. It may be shared, logged and inspected: it shows no key. */
export interface OrdersClient<Update extends OrderUpdate = OrderUpdate> extends AsyncDisposable {
  /**
   * Updates an order. The update is checked before it is sent, and sent as given.
   *
   * @throws OrdersError whose `outcome` says what became of the update.
   * @throws TypeError when an option is wrong.
   */
  updateOrder<Data = unknown>(
    token: string,
    update: Update,
    options?: CallOptions<Data>,
  ): Promise<UpdatedOrder<Data>>;
  /** Updates an order and tells a failure as a value. Rejects only with a `TypeError`, for a wrong option. */
  safeUpdateOrder<Data = unknown>(
    token: string,
    update: Update,
    options?: CallOptions<Data>,
  ): Promise<UpdateOrderResult<Data>>;
  /**
   * Asks the service whether the private key works. It changes nothing.
   *
   * @throws OrdersError, for example an `HttpError`.
   */
  echoWithPrivateKey<Data = unknown>(options?: CallOptions<Data>): Promise<Echo<Data>>;
  /** Ends when all calls have settled, and closes the sockets, unless the dispatcher is yours. A later call is `not_sent`. */
  close(): Promise<void>;
}

/**
 * Makes a client of the order service. Nothing is sent until the first call.
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
  const connection = createConnection(options);
  return {
    updateOrder: (token, update, callOptions) => updateOrder(connection, token, update, callOptions),
    safeUpdateOrder: (token, update, callOptions) => safeUpdateOrder(connection, token, update, callOptions),
    echoWithPrivateKey: (callOptions) => echoWithPrivateKey(connection, callOptions),
    close: connection.close,
    [Symbol.asyncDispose]: connection.close,
  };
}
