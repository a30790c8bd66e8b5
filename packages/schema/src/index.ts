export { currencyCodes } from './currency-codes.ts';
export {
  type DefinedOrderUpdate,
  defineOrderUpdate,
  type OrderUpdateDefinition,
  type OrderUpdateFields,
  type OrderUpdateSchema,
} from './define-order-update.ts';
export { type ExplainableIssue, type Explanation, explain, type IssueCode } from './explain.ts';
export { isOrderToken, OrderToken } from './order-token.ts';
export { Cart, CartItem, type CartItemType, Hooks, OrderUpdate } from './order-update.ts';
export {
  createWebhookReader,
  WebhookEvent,
  type WebhookFields,
  type WebhookReader,
} from './webhook-event.ts';
