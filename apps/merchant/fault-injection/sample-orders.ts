import { randomBytes } from 'node:crypto';
import { documentedExample } from '@orders/testing';
import type { NewOrder } from '../server/stored-orders.ts';
import type { ShopUpdate } from '../shared/order-update.ts';

type Line = NonNullable<ShopUpdate['cart']['items']>[number];

/** Orders of a new mock service: the documented example comes first. */
export function sampleOrders(webhookUrl: (token: string) => string): readonly NewOrder[] {
  return [documentedExample(), lamps(), book(), { cart: { items: [] } }, ...products.map(simple)].map(
    (body) => {
      const token = `ord_${randomBytes(12).toString('base64url')}`;
      return { token, body: { ...body, hooks: { ...body.hooks, webhook_url: webhookUrl(token) } } };
    },
  );
}

function lamps(): ShopUpdate {
  return {
    order_id: 'merchant-order-1002',
    purchase_currency: 'SEK',
    cart: {
      items: [
        line({ sku: 'LAMP-OAK-02', name: 'Oak desk lamp', unit_price: 89900, vat_amount: 17980 }),
        line({
          sku: 'BULB-E27-6W',
          name: 'LED bulb, warm white',
          quantity: 3,
          unit_price: 7900,
          discount_rate: 10,
          vat_amount: 4266,
        }),
        line({
          type: 'shipping_fee',
          sku: 'SHIP-EXPRESS',
          name: 'Express',
          unit_price: 9900,
          vat_amount: 1980,
        }),
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
  };
}

function book(): ShopUpdate {
  return {
    order_id: 'merchant-order-1003',
    purchase_currency: 'EUR',
    cart: { items: [line({ sku: 'BOOK-FJORD', name: 'Fjords by bicycle', unit_price: 2490 })] },
    total_amount: 2490,
    hooks: { user_return_url_on_success: 'myshop://orders/1003/paid' },
    merchant_reference: 'app-checkout',
  };
}

const products = [
  'Wool scarf',
  'Rain jacket',
  'Thermos',
  'Head torch',
  'Trail map',
  'Camp stove',
  'Sleeping mat',
  'Pocket knife',
];

function simple(name: string, index: number): ShopUpdate {
  const unit_price = 9900 + index * 5000;
  return {
    order_id: `merchant-order-${1005 + index}`,
    purchase_currency: 'NOK',
    cart: {
      items: [
        line({ sku: name.toUpperCase().replace(' ', '-'), name, unit_price, vat_amount: unit_price / 5 }),
      ],
    },
    total_amount: unit_price,
  };
}

function line(fields: Line): Line {
  return { type: 'physical', quantity: 1, discount_rate: 0, vat_amount: 0, ...fields };
}
