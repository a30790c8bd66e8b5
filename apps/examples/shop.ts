import type { OrdersError } from '@orders/client';

/** The service's token of each order. Your database instead. */
export const orderTokens = new Map([
  ['A-1001', process.env.ORDER_TOKEN ?? ''],
]);

// Your catalogue instead.
const catalogue = new Map([
  ['mug', { name: 'Mug', unit_price: 12900 }],
  ['cup', { name: 'Cup', unit_price: 8900 }],
]);

/**
 * Builds the cart that a customer chose. A browser sends quantities alone,
 * such as `{ "mug": 2 }`: names and prices are those of the catalogue.
 * Returns `undefined` for anything else.
 */
export function buildCart(quantities: unknown) {
  const items = [];
  for (const [sku, quantity] of Object.entries(Object(quantities))) {
    const product = catalogue.get(sku);
    // The client validates the rest: 1.5 is a validation error.
    if (!product || typeof quantity !== 'number' || quantity < 1)
      return undefined;
    items.push({ type: 'physical', sku, ...product, quantity });
  }
  return items.length > 0 ? { items } : undefined;
}

/** Updates that a person looks at. Your table instead. */
export const reviews: object[] = [];

/**
 * Logs a failure with nothing of the update, and stores an update that may
 * have been applied, so that a person looks at its order.
 */
export function recordFailure(
  error: OrdersError,
  token: string,
  cart: object,
) {
  const { code, outcome, receipt } = error;
  // It has the cause, but that of a validation error quotes the update.
  const message = code === 'validation_error' ? undefined : error.message;
  console.error(JSON.stringify({ code, outcome, message, receipt }));
  if (outcome === 'unknown') reviews.push({ token, cart, receipt });
}
