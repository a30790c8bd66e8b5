import { documentedExample } from '@orders/testing';
import type { DeskUpdate } from '../contract/desk-update.ts';

/** What the desk shows for the orders of its own order service: the documented example comes first. */
export function sampleDrafts(): readonly DeskUpdate[] {
  return [
    documentedExample(),
    {
      order_id: 'merchant-order-1002',
      purchase_currency: 'SEK',
      cart: {
        items: [
          line('physical', {
            sku: 'LAMP-OAK-02',
            name: 'Oak desk lamp',
            unit_price: 89900,
            vat_amount: 17980,
          }),
          line('physical', {
            sku: 'BULB-E27-6W',
            name: 'LED bulb, warm white',
            quantity: 3,
            unit_price: 7900,
            discount_rate: 10,
            vat_amount: 4266,
          }),
          line('shipping_fee', { sku: 'SHIP-EXPRESS', name: 'Express', unit_price: 9900, vat_amount: 1980 }),
        ],
      },
      require_shipping: true,
      express_shipping: true,
      shipping_address: {
        given_name: 'Astrid',
        family_name: 'Berg',
        street_address: 'Bygata 12',
        postal_code: '111 29',
        city: 'Stockholm',
        country: 'SE',
      },
      merchant_reference: 'spring-campaign',
      merchant_note: 'Leave the lamp at the door.',
      total_amount: 121130,
      total_vat_amount: 24226,
    },
    {
      order_id: 'merchant-order-1003',
      purchase_currency: 'EUR',
      cart: {
        items: [line('physical', { sku: 'BOOK-FJORD', name: 'Fjords by bicycle', unit_price: 2490 })],
      },
      hooks: { user_return_url_on_success: 'myshop://orders/1003/paid' },
      merchant_reference: 'app-checkout',
    },
    { cart: { items: [] } },
  ];
}

type Line = NonNullable<DeskUpdate['cart']['items']>[number];

function line(type: string, fields: Line): Line {
  return { type, quantity: 1, discount_rate: 0, vat_amount: 0, ...fields };
}
