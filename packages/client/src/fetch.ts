// The values of index.ts, whose declarations serve both entries.
export {
  AbortError,
  ConnectionError,
  HttpError,
  InvalidResponseError,
  OrdersError,
  TimeoutError,
  ValidationError,
} from './errors.ts';
export { createOrdersClient } from './fetch-client.ts';
export { treat503AsRejected } from './response.ts';
