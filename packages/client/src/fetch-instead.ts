/**
 * What `@orders/client` resolves to where undici does not run: browsers, Cloudflare, edge functions, and Bun, which
 * has an `undici` of its own without what we need. Everything works but making a client, so code that shares errors
 * and types with a server loads, and what cannot work says what to import.
 */
function importFetchInstead(): never {
  throw new TypeError(
    'This runtime cannot run undici: import { createOrdersClient } from "@orders/client/fetch" instead.',
  );
}

/** @public Nothing here imports it: export conditions lead to it. */
export {
  AbortError,
  ConnectionError,
  echoWithPrivateKey,
  HttpError,
  InvalidRequestError,
  InvalidResponseError,
  isOrdersError,
  OrdersError,
  prepareUpdateOrder,
  safeUpdateOrder,
  TimeoutError,
  treat503AsRejected,
  updateOrder,
  updateOrders,
} from './fetch.ts';
/** @public */
export {
  importFetchInstead as Agent,
  importFetchInstead as createConnection,
  importFetchInstead as createOrdersClient,
  importFetchInstead as EnvHttpProxyAgent,
  importFetchInstead as MockAgent,
  importFetchInstead as ProxyAgent,
};
