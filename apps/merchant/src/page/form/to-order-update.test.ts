import type { OrderUpdate } from '@orders/schema';
import { buildOrderUpdate, documentedExample } from '@orders/testing';
import { expect, test } from 'vitest';
import { sampleDrafts } from '../../boot/sample-drafts.ts';
import { emptyLine, toForm } from './order-form.ts';
import { carriedNames, toOrderUpdate } from './to-order-update.ts';

test.each([
  ...sampleDrafts(),
  { cart: {} },
  buildOrderUpdate({ cart: { items: [{}] }, hooks: { terms_url: 'https://shop.example' } }),
  buildOrderUpdate({
    note: ['kept'],
    cart: { colour: 'blue', items: [{ sku: 'a', gift: true }] } as object,
    hooks: { own_url: 'x' } as object,
  }),
])('makes the same update of an untouched form: %j', (update) => {
  expect(toOrderUpdate(toForm(update), update)).toEqual(update);
});

test('leaves out what is emptied', () => {
  const base: OrderUpdate = documentedExample();
  const form = toForm(base);
  const [line = emptyLine] = form.cart.items;
  const emptied = {
    ...form,
    order_id: '',
    purchase_currency: '',
    require_shipping: '' as const,
    cart: { items: [{ ...line, sku: '', quantity: ' ' }] },
    hooks: { ...form.hooks, terms_url: '' },
  };
  const update = toOrderUpdate(emptied, base);
  expect(update).not.toHaveProperty('order_id');
  expect(update).not.toHaveProperty('purchase_currency');
  expect(update).not.toHaveProperty('require_shipping');
  expect(update).not.toHaveProperty('hooks.terms_url');
  expect(update).toHaveProperty('cart.items', [
    { type: 'physical', name: 'Blue mug', unit_price: 14900, discount_rate: 0, vat_amount: 5960 },
  ]);
});

test('sends an empty list for a cart whose last line was removed', () => {
  const base = documentedExample();
  expect(toOrderUpdate({ ...toForm(base), cart: { items: [] } }, base)).toHaveProperty('cart', { items: [] });
});

test('names the fields that it carries along', () => {
  expect(carriedNames(documentedExample())).toEqual([
    'shipping_address',
    'user_session_id',
    'user_identifier',
  ]);
});
