export { hostileBodies } from './arbitraries/hostile-bodies.ts';
export { hostileJson } from './arbitraries/hostile-json.ts';
export {
  type InvalidCode,
  type InvalidOrderUpdate,
  type InvalidOrderUpdatesOptions,
  type InvalidReason,
  invalidOrderUpdates,
} from './arbitraries/invalid-order-updates.ts';
export { apiKeys, invalidApiKeys, invalidOrderTokens, orderTokens } from './arbitraries/keys-and-tokens.ts';
export { cartItems, carts, type OrderUpdatesOptions, orderUpdates } from './arbitraries/order-updates.ts';
