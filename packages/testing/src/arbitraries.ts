export { apiKeys, orderTokens } from './arbitraries/keys-and-tokens.ts';
export { cartItems, carts, type OrderUpdatesOptions, orderUpdates } from './arbitraries/order-updates.ts';
