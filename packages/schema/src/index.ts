export { Cart, CartItem, type CartItemType } from './cart.ts';
export { currencyCodes } from './currency-codes.ts';
export {
  type DefinedOrderUpdate,
  defineOrderUpdate,
  type OrderUpdateDefinition,
  type OrderUpdateSchema,
} from './define-order-update.ts';
export { type ExplainableIssue, type Explanation, explain } from './explain.ts';
export { Hooks } from './hooks.ts';
export { isOrderToken, OrderToken } from './order-token.ts';
export { OrderUpdate } from './order-update.ts';
export {
  createWebhookReader,
  WebhookEvent,
  type WebhookFields,
  type WebhookReader,
} from './webhook-event.ts';
