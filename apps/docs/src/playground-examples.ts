const write = (body: unknown) => JSON.stringify(body, null, 2);
const withItems = (...items: readonly unknown[]) => write({ order_id: 'A-1001', cart: { items } });

/** Bodies to validate at one click: a valid one, and frequent mistakes. */
export const examples: Readonly<Record<string, string>> = {
  'Valid body': write({
    order_id: 'A-1001',
    purchase_currency: 'SEK',
    cart: {
      items: [
        { type: 'physical', sku: 'MUG-BLUE', quantity: 2, unit_price: 12900, vat_amount: 5160 },
        { type: 'shipping_fee', unit_price: 4900 },
      ],
    },
    require_shipping: true,
    hooks: { webhook_url: 'https://shop.example/webhooks/7f3a' },
  }),
  'Misplaced hooks': write({
    cart: {},
    webhook_url: 'https://shop.example/webhooks',
    hooks: { user_return_url_on_success: '/thanks' },
  }),
  'Decimal amounts': withItems({ sku: 'LAMP', unit_price: 399.7999999999997, discount_rate: 0.25 }),
  'Numbers as strings': withItems({ quantity: '2', unit_price: '129,00' }),
  'A numeric sku': withItems({ sku: 4711, name: 'Blue mug' }),
  'Misspelled fields': write({ orderId: 'A-1001', cart: { items: [{ unitPrice: 12900, quantitiy: 2 }] } }),
  'null instead of leaving out': write({ order_id: null, purchase_currency: 'kr', cart: { items: [null] } }),
  'Invalid JSON': '{\n  "order_id": "A-1001",\n  "cart": {},\n}',
};
