import { OrderUpdate } from '@orders/schema';
import { expect, expectTypeOf, test } from 'vitest';
import { documentedExample } from './documented-example.ts';

test('satisfies the schema and the type', () => {
  expect(OrderUpdate.safeParse(documentedExample())).toEqual({ success: true, data: documentedExample() });
  expectTypeOf(documentedExample()).toExtend<OrderUpdate>();
});

test('holds every field that the API reference names', () => {
  const { cart, hooks, ...order } = documentedExample();
  expect(Object.keys(order).sort()).toEqual([
    'express_shipping',
    'order_id',
    'purchase_currency',
    'require_shipping',
    'shipping_address',
    'user_identifier',
    'user_session_id',
  ]);
  expect(Object.keys(hooks).sort()).toEqual([
    'terms_url',
    'user_return_url_on_fail',
    'user_return_url_on_success',
    'webhook_url',
  ]);
  expect(cart.items.map(({ type }) => type)).toEqual(['physical', 'shipping_fee']);
  for (const item of cart.items) {
    expect(Object.keys(item)).toEqual([
      'type',
      'sku',
      'name',
      'quantity',
      'unit_price',
      'discount_rate',
      'vat_amount',
    ]);
  }
});

test('cannot be spoiled by a test for another', () => {
  documentedExample().cart.items.pop();
  documentedExample().hooks.terms_url = 'gone';
  expect(documentedExample().cart.items).toHaveLength(2);
  expect(documentedExample().hooks.terms_url).toBe('https://shop.example/terms');
});
