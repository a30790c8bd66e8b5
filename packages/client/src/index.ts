export type { OrdersClient } from './client.ts';
export {
  AbortError,
  ConnectionError,
  HttpError,
  InvalidResponseError,
  OrdersError,
  type OrdersErrorCode,
  TimeoutError,
  type TimeoutPhase,
  ValidationError,
} from './errors.ts';
export type { Outcome } from './operation.ts';
export type {
  AfterAttempt,
  AfterAttemptEvent,
  BeforeAttempt,
  BeforeAttemptEvent,
  BeforeSend,
  CallHooks,
  CallOptions,
  ClientTimeouts,
  Fetch,
  OrdersClientOptions,
  RateLimitOptions,
  RetryOptions,
  SharedOptions,
  StandardIssue,
  StandardResult,
  StandardSchema,
  Timeouts,
  TlsOptions,
  UndiciDispatcher,
} from './options.ts';
export type { AttemptRecord, CallSummary, Receipt, ReceiptData } from './receipt.ts';
export { type ClassifyResponse, treat503AsRejected } from './response.ts';
export type { OrdersRequestTrace } from './tracing.ts';
export type { ResponseHead, ResponseHeaders } from './transport.ts';
export { createOrdersClient } from './undici-client.ts';
export type {
  EchoResponse,
  PreparedUpdate,
  UpdateOrderResponse,
  UpdateOrderResult,
} from './update-order.ts';
export type {
  UnfinishedItems,
  UpdateOrdersItem,
  UpdateOrdersItemResult,
  UpdateOrdersOptions,
  UpdateOrdersRun,
} from './update-orders.ts';
