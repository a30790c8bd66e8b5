/** What consumers send and must find, so that whoever runs them knows it too. It imports nothing. */

/** The body that is sent, and must be what the service applied. */
export const sent = {
  order_id: 'A-1001',
  purchase_currency: 'SEK',
  cart: { items: [{ type: 'physical', sku: 'mug', name: 'Mug', quantity: 2, unit_price: 12_900 }] },
};

/** The only explanation of the bad order that will do. */
export const explained = 'cart.items[0].unit_price not_integer, orderId misspelled';

/** A key beyond ASCII, and its header by RFC 7617. */
export const known = { key: 'nyckel-åäö', authorization: 'Basic bnlja2VsLcOlw6TDtjo=' } as const;

/** An order that a service holds. */
export interface Place {
  readonly url: string;
  readonly key: string;
  readonly token: string;
}
