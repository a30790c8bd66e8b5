export type { AdminErrorBody, AdminErrorCode } from './admin.ts';
export { buildOrderUpdate } from './build-order-update.ts';
export { documentedExample } from './documented-example.ts';
export { type Fault, type Scenario, scenarios } from './mock/fault.ts';
export type {
  FaultFilter,
  FaultOrScenario,
  FaultRule,
  FaultScript,
  NextOptions,
  PlayedFault,
  SometimesOptions,
} from './mock/fault-script.ts';
export type { JournalEntry } from './mock/journal.ts';
export type { AuthorizationFacts, KeyType, ServiceKey } from './mock/keys.ts';
export { formatLogLine } from './mock/log-line.ts';
export {
  type MockOrderService,
  type MockOrderServiceOptions,
  type RequestFilter,
  startMockOrderService,
} from './mock/mock-order-service.ts';
export type { LedgerEntry, SeedOrder, StoredOrder } from './mock/orders.ts';
export type {
  MockOrderServiceErrorBody,
  MockOrderServiceErrorCode,
  MockResponses,
  ResponseName,
} from './mock/responses.ts';
export type {
  WebhookContent,
  WebhookDelivery,
  WebhookOptions,
  WebhookSendOptions,
  Webhooks,
} from './webhooks.ts';
