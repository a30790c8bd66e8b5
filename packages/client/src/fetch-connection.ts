import type { OrderUpdate } from '@orders/schema';
import { checkFunction } from './check.ts';
import { type OrdersConnection, openConnection } from './connection.ts';
import { sendOnce } from './fetch-once.ts';
import { type Fetch, fetchTransport, privateFields } from './fetch-transport.ts';
import { byteLength } from './operation.ts';
import type { ConnectionOptions } from './settings.ts';

/** Options of a client over `fetch`. */
export interface OrdersClientOptions<Update extends OrderUpdate = OrderUpdate>
  extends ConnectionOptions<Update> {
  /**
   * Sends the requests. It must send each one once and follow no redirect; one that repeats requests by itself makes
   * outcomes wrong.
   * @default the runtime's own `fetch`
   */
  readonly fetch?: Fetch;
}

/**
 * Connects the endpoint functions to a service over `fetch`. Nothing is sent until the first call.
 *
 * @throws TypeError when an option is missing or out of range; the message says what to write.
 */
export function createConnection<Update extends OrderUpdate = OrderUpdate>(
  options: OrdersClientOptions<Update>,
): OrdersConnection<Update> {
  // Looked up for each request, so that what a test or a platform puts in its place later counts.
  const { fetch = (url, init) => globalThis.fetch(url, init) } = options;
  checkFunction('fetch', fetch);
  return openConnection(options, () => {
    const { fields, release } = sendOnce();
    return {
      transport: fetchTransport(fetch, { ...privateFields(), ...fields }),
      outermost: (next) => next,
      byteLength,
      release,
    };
  });
}
