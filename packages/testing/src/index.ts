export { buildOrderUpdate } from './build-order-update.ts';
export type { ControlErrorBody, ControlErrorCode } from './control/control-error.ts';
export { documentedExample } from './documented-example.ts';
export type { ConnectCallback, ConnectOptions, Connector } from './memory/memory-connector.ts';
export type { OrderServiceErrorBody, OrderServiceErrorCode } from './service/answer.ts';
export type { AnswerName, ServiceChoices } from './service/choices.ts';
export type { Fault } from './service/faults/fault.ts';
export type { FaultFilter, FaultRule, NextOptions, SometimesOptions } from './service/faults/fault-rule.ts';
export type { FaultScript, PlayedFault } from './service/faults/fault-script.ts';
export type { JournalEntry } from './service/journal.ts';
export type { AuthorizationFacts, KeyType, ServiceKey } from './service/key-ring.ts';
export type { LedgerEntry, SeedOrder, StoredOrder } from './service/order-book.ts';
export {
  createOrderService,
  type MemoryOrderService,
  type OrderService,
  type RequestFilter,
  startOrderService,
} from './service/order-service.ts';
export type {
  CreateOrderServiceOptions,
  OrderServiceOptions,
  StartOrderServiceOptions,
} from './service/order-service-options.ts';
export type { WebhookSendOptions } from './webhooks/plan-webhook.ts';
export type { WebhookAttempt, WebhookDelivery } from './webhooks/webhook-delivery.ts';
export type { WebhookOptions } from './webhooks/webhook-options.ts';
export type { WebhookContent } from './webhooks/webhook-payload.ts';
export type { Webhooks } from './webhooks/webhooks.ts';
