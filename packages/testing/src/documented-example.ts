/**
 * The documented request body, made fresh by each call so that no test can spoil it for another.
 *
 * The fields are those of the API reference (Resources and their fields). It has no values for its example, so they are
 * ours, and so are the inner fields of `shipping_address`, which are undocumented.
 */
export function documentedExample() {
  return {
    order_id: 'merchant-order-1001',
    purchase_currency: 'NOK',
    cart: {
      items: [
        {
          type: 'physical',
          sku: 'MUG-BLUE-01',
          name: 'Blue mug',
          quantity: 2,
          unit_price: 14900,
          discount_rate: 0,
          vat_amount: 5960,
        },
        {
          type: 'shipping_fee',
          sku: 'SHIP-STANDARD',
          name: 'Standard shipping',
          quantity: 1,
          unit_price: 4900,
          discount_rate: 0,
          vat_amount: 980,
        },
      ],
    },
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
}
