export { apiKeys, invalidApiKeys } from './arbitraries/api-keys.ts';
export { hostileBodies } from './arbitraries/hostile-bodies.ts';
export { hostileJson } from './arbitraries/hostile-json.ts';
export {
  type InvalidOrderUpdate,
  type InvalidOrderUpdatesOptions,
  invalidOrderUpdates,
} from './arbitraries/invalid-order-updates.ts';
export { invalidOrderTokens, orderTokens } from './arbitraries/order-tokens.ts';
export { cartItems, carts, type OrderUpdatesOptions, orderUpdates } from './arbitraries/order-updates.ts';
export type { InvalidCode, InvalidReason } from './arbitraries/reasons.ts';
