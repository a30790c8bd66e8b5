import type { OrderUpdate } from '@orders/schema';

/** An update with a cart of so many lines: what every peer sends, in the order of fields that the document lists. */
export function buildUpdate(lines: number) {
  const update = {
    order_id: 'merchant-order-1001',
    purchase_currency: 'NOK',
    cart: { items: Array.from({ length: lines }, (_, index) => (index === 1 ? shippingFee() : mug(index))) },
    require_shipping: true,
    express_shipping: false,
    shipping_address: {
      name: 'Kari Nordmann',
      street: 'Storgata 1',
      postal_code: '0155',
      city: 'Oslo',
      country: 'NO',
    },
    hooks: {
      user_return_url_on_success: 'https://shop.example/checkout/success',
      user_return_url_on_fail: 'https://shop.example/checkout/fail',
      terms_url: 'https://shop.example/terms',
      webhook_url: 'https://shop.example/webhooks/orders',
    },
    user_session_id: 'session-7f3a9c',
    user_identifier: 'customer-42',
  };
  return update satisfies OrderUpdate;
}

function mug(index: number) {
  return {
    type: 'physical',
    sku: `MUG-BLUE-${index}`,
    name: 'Blue mug',
    quantity: 2,
    unit_price: 14_900,
    discount_rate: 0,
    vat_amount: 5_960,
  };
}

function shippingFee() {
  return {
    type: 'shipping_fee',
    sku: 'SHIP-STANDARD',
    name: 'Standard shipping',
    quantity: 1,
    unit_price: 4_900,
    discount_rate: 0,
    vat_amount: 980,
  };
}
