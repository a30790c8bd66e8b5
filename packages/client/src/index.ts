export { Agent, type Dispatcher, EnvHttpProxyAgent, MockAgent, ProxyAgent } from 'undici';
export type { AttemptEnd, AttemptStart } from './attempt-events.ts';
export type { BulkRest, BulkResult } from './bulk-result.ts';
export { type Classify, treat503AsRejected } from './classify.ts';
export type { OrdersConnection } from './connection.ts';
export { createOrdersClient } from './create-orders-client.ts';
export { type Echo, echoWithPrivateKey } from './echo-with-private-key.ts';
export {
  AbortError,
  type CallError,
  ConnectionError,
  HttpError,
  InvalidRequestError,
  InvalidResponseError,
  isOrdersError,
  OrdersError,
  type OrdersErrorCode,
  TimeoutError,
  type TimeoutPhase,
} from './errors.ts';
export type { AnswerHead, AnswerHeaders } from './exchange.ts';
export { createConnection, type OrdersClientOptions } from './node-connection.ts';
export type { OrdersClient } from './orders-client.ts';
export type { Outcome } from './outcome.ts';
export { type PreparedUpdate, prepareUpdateOrder } from './prepare-update-order.ts';
export type { RateLimitOptions } from './rate-limit.ts';
export type { AttemptRecord, Receipt, ReceiptData } from './receipt.ts';
export type { CallOptions, ConnectionOptions, RetryOptions, Timeouts } from './settings.ts';
export type { StandardIssue, StandardResult, StandardSchema } from './standard-schema.ts';
export type { OrdersRequestTrace } from './tracing.ts';
export { safeUpdateOrder, type UpdatedOrder, type UpdateOrderResult, updateOrder } from './update-order.ts';
export {
  type BulkItem,
  type BulkOptions,
  type BulkUpdate,
  updateOrders,
} from './update-orders.ts';
