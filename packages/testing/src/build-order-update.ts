import type { OrderUpdate } from '@orders/schema';

/**
 * Builds a valid update: a cart of one line, with the given top-level fields laid over it.
 *
 * Fields that the API reference does not name pass through, and each call makes fresh objects, so a test shows only what
 * matters to it. A given `cart` replaces the whole cart; every field of a line is optional (API reference, Cart).
 *
 * @param overrides Top-level fields to set. @default none
 */
export function buildOrderUpdate<Overrides extends object = Record<never, never>>(
  overrides?: Overrides & Partial<OrderUpdate>,
): OrderUpdate & Overrides {
  const update: OrderUpdate = {
    cart: {
      items: [
        {
          type: 'physical',
          sku: 'SKU-1',
          name: 'A thing',
          quantity: 1,
          unit_price: 1000,
          discount_rate: 0,
          vat_amount: 200,
        },
      ],
    },
  };
  return Object.assign(update, overrides);
}
