export { Agent, type Dispatcher, EnvHttpProxyAgent, MockAgent, ProxyAgent } from 'undici';
export type { AnswerHead, Classify } from './classify.ts';
export { createConnection, type OrdersConnection } from './connection.ts';
export { createOrdersClient, type OrdersClient } from './create-orders-client.ts';
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
export type { AnswerHeaders } from './exchange.ts';
export type { Outcome } from './outcome.ts';
export { type AttemptRecord, Receipt, type ReceiptData } from './receipt.ts';
export type { RetryOptions } from './retry-policy.ts';
export type { CallOptions, OrdersClientOptions, Timeouts } from './settings.ts';
export type { StandardIssue, StandardResult, StandardSchema } from './standard-schema.ts';
export { safeUpdateOrder, type UpdatedOrder, type UpdateOrderResult, updateOrder } from './update-order.ts';
