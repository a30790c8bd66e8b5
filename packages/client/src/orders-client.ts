/// <reference lib="esnext.disposable" preserve="true" />
import type { OrderUpdate } from '@orders/schema';
import type { OrdersConnection } from './connection.ts';
import { type Echo, echoWithPrivateKey } from './echo-with-private-key.ts';
import { type PreparedUpdate, prepareUpdateOrder } from './prepare-update-order.ts';
import type { CallOptions } from './settings.ts';
import { safeUpdateOrder, type UpdatedOrder, type UpdateOrderResult, updateOrder } from './update-order.ts';
import { type BulkItem, type BulkOptions, type BulkUpdate, updateOrders } from './update-orders.ts';

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
   * Updates many orders from an iterable, as it comes, in bounded memory: results in the order of completion,
   * updates to one order in the order given.
   */
  updateOrders<Item extends BulkItem<Update>, Data = unknown>(
    source: Iterable<Item> | AsyncIterable<Item>,
    options?: BulkOptions<Data, NoInfer<Item>>,
  ): BulkUpdate<Item, Data>;
  /**
   * Checks an update and gives the exact request that will be sent, to look at, to log, or to send.
   *
   * @throws InvalidRequestError when the update or the token is wrong.
   */
  prepareUpdateOrder(token: string, update: Update): PreparedUpdate;
  /**
   * Asks the service whether the private key works. It changes nothing.
   *
   * @throws OrdersError, for example an `HttpError`.
   */
  echoWithPrivateKey<Data = unknown>(options?: CallOptions<Data>): Promise<Echo<Data>>;
  /**
   * Until when a 429 pauses the calls of this client; `undefined` when none does. A pause ends by itself, after
   * `maxPauseMs` at the latest.
   */
  readonly pausedUntil: Date | undefined;
  /** Lifts the pause after a 429, also those of calls with credentials of their own: calls that wait go on at once. */
  resume(): void;
  /** Ends when all calls have settled, and closes the sockets, unless the dispatcher is yours. A later call is `not_sent`. */
  close(): Promise<void>;
}

/** Binds the endpoint functions to a connection. */
export function clientOf<Update extends OrderUpdate>(
  connection: OrdersConnection<Update>,
): OrdersClient<Update> {
  return {
    updateOrder: (token, update, options) => updateOrder(connection, token, update, options),
    safeUpdateOrder: (token, update, options) => safeUpdateOrder(connection, token, update, options),
    updateOrders: (source, options) => updateOrders(connection, source, options),
    prepareUpdateOrder: (token, update) => prepareUpdateOrder(connection, token, update),
    echoWithPrivateKey: (options) => echoWithPrivateKey(connection, options),
    get pausedUntil() {
      const pausedMs = connection.limit.pausedMs(connection.credentials);
      if (pausedMs === 0) return undefined;
      return new Date(Date.now() + (pausedMs < Number.POSITIVE_INFINITY ? pausedMs : 0));
    },
    resume: () => connection.limit.resume(),
    close: connection.close,
    [Symbol.asyncDispose]: connection.close,
  };
}
