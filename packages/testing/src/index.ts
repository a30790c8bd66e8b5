export { buildOrderUpdate } from './build-order-update.ts';
export { documentedExample } from './documented-example.ts';
export type { OrderServiceErrorBody, OrderServiceErrorCode } from './service/answer.ts';
export type { JournalEntry } from './service/journal.ts';
export type { AuthorizationFacts, KeyType, ServiceKey } from './service/key-ring.ts';
export type { LedgerEntry, SeedOrder, StoredOrder } from './service/order-book.ts';
export { type OrderService, type OrderServiceOptions, startOrderService } from './service/order-service.ts';
