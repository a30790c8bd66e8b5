import { Hooks, OrderToken } from '@orders/schema';
import fc from 'fast-check';
import { z } from 'zod';

/** Names for all that the document describes without naming it. */
export const named = {
  metadata: ['meta_1', 'meta_2'],
  totalAmount: 'total',
  vatAmount: 'vat',
  qrSessionId: 'qr_session',
  currencies: ['EUR', 'NOK'],
} as const;

/** Names that are refused where they are not declared, near to documented ones, or no words at all. */
export const awkward = {
  metadata: ['billing_address', 'a b'],
  totalAmount: 'items',
  vatAmount: 'order_ids',
  qrSessionId: '_',
  currencies: ['XBT', 'ZZZ'],
} as const;

/** Fields of one's own at every level: required ones, and an optional one. */
export const own = {
  fields: {
    order: { parent: OrderToken, channel_name: z.optional(z.string()) },
    cart: { links: Hooks },
    item: { serial: OrderToken },
    hooks: { label: OrderToken },
  },
};

/** Values for what is required in `own`. */
export const ownValues = {
  order: { parent: fc.constantFrom('ord_1', 'ord_2') },
  cart: { links: fc.constantFrom({}, { terms_url: 'https://shop.example/terms' }) },
  item: { serial: fc.constant('s-1') },
  hooks: { label: fc.constant('l-1') },
};
