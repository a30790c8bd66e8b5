import type { OwnNames } from './own-names.ts';

/** A body to explain at one click: mistakes that are made again and again. */
export interface Example {
  readonly title: string;
  readonly text: string;
  /** Names that belong to it. */
  readonly names?: Partial<OwnNames>;
}

const inCart = (...lines: readonly string[]): string =>
  ['{', '  "order_id": "A-1001",', '  "cart": {', '    "items": [', ...lines, '    ]', '  }', '}'].join('\n');

export const examples: readonly Example[] = [
  {
    title: 'A body that passes',
    text: `{
  "order_id": "A-1001",
  "purchase_currency": "SEK",
  "cart": {
    "items": [
      {
        "type": "physical",
        "sku": "MUG-BLUE",
        "name": "Blue mug",
        "quantity": 2,
        "unit_price": 12900,
        "discount_rate": 0,
        "vat_amount": 5160
      },
      { "type": "shipping_fee", "unit_price": 4900 }
    ]
  },
  "require_shipping": true,
  "hooks": {
    "user_return_url_on_success": "https://shop.example/thanks",
    "webhook_url": "https://shop.example/webhooks/7f3a"
  }
}`,
  },
  {
    title: '399.7999999999997',
    text: inCart(
      '      {',
      '        "sku": "LAMP",',
      '        "quantity": 1,',
      '        "unit_price": 399.7999999999997',
      '      },',
      '      {',
      '        "sku": "BULB",',
      '        "unit_price": 4900,',
      '        "discount_rate": 0.25',
      '      }',
    ),
  },
  {
    title: '"true" in quotes',
    text: `{
  "cart": {},
  "require_shipping": "true",
  "express_shipping": 0
}`,
  },
  {
    title: 'A numeric sku',
    text: inCart('      { "sku": 4711, "name": "Blue mug" }'),
  },
  {
    title: 'Hooks at the wrong level',
    text: `{
  "cart": {},
  "webhook_url": "https://shop.example/webhooks",
  "terms_url": "https://shop.example/terms",
  "hooks": {
    "user_return_url_on_success": "/thanks"
  }
}`,
  },
  {
    title: 'Quantities as strings',
    text: inCart(
      '      { "quantity": "2", "unit_price": "12900" },',
      '      { "quantity": "two", "unit_price": "129,00" }',
    ),
  },
  {
    title: 'Nearly the right name',
    text: `{
  "orderId": "A-1001",
  "shipping_adress": { "city": "Oslo" },
  "cart": {
    "items": [{ "unitPrice": 12900, "quantitiy": 2 }]
  }
}`,
  },
  {
    title: 'null for left out',
    text: `{
  "order_id": null,
  "purchase_currency": "kr",
  "cart": { "items": [null] }
}`,
  },
  {
    title: 'Broken JSON',
    text: `{
  "order_id": "A-1001",
  "cart": {
    "items": [
      { "sku": "MUG", "quantity": 2, },
    ]
  }
}`,
  },
  {
    title: 'With names of your own',
    text: `{
  "cart": {},
  "total": 258.5,
  "vat": 2147483648,
  "note_1": "Gift wrapping, please",
  "qr_session": 77
}`,
    names: { totalAmount: 'total', vatAmount: 'vat', firstMetadata: 'note_1', qrSessionId: 'qr_session' },
  },
];
