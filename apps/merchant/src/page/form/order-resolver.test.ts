import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { fieldOf, listIssues, toFieldErrors } from './field-issues.ts';
import { type OrderForm, toForm } from './order-form.ts';
import { orderResolver } from './order-resolver.ts';

const base = buildOrderUpdate({ order_id: 'mine-1' });

async function resolve(change: (form: OrderForm) => void) {
  const form = toForm(base);
  change(form);
  return orderResolver(base)(form, undefined, { fields: {}, shouldUseNativeValidation: false });
}

test('yields the update itself for a form that passes', async () => {
  expect(await resolve(() => {})).toEqual({ values: base, errors: {} });
});

test('puts message and hint on the field, exactly as typed', async () => {
  const { errors } = await resolve((form) => {
    Object.assign(form.cart.items[0] ?? {}, { quantity: '2.5', unit_price: '14 900' });
    form.hooks.terms_url = 'shop';
  });
  expect(listIssues(errors)).toEqual([
    {
      field: 'cart.items.0.quantity',
      message: expect.stringContaining('2.5'),
      hint: expect.stringContaining('whole numbers'),
    },
    {
      field: 'cart.items.0.unit_price',
      message: expect.stringContaining('14 900'),
      hint: expect.any(String),
    },
    { field: 'hooks.terms_url', message: expect.stringContaining('shop'), hint: expect.any(String) },
  ]);
});

test.each([
  ['cart.items[12].unit_price', 'cart.items.12.unit_price'],
  ['cart.items[0].type', 'cart.items.0.kind'],
  ['hooks.webhook_url', 'hooks.webhook_url'],
  ['shipping_address.city', undefined],
  ['cart', undefined],
  ['', undefined],
])('finds the field of %j', (path, field) => {
  expect(fieldOf(path)).toBe(field);
});

test('keeps an issue that no field shows', () => {
  const errors = toFieldErrors([
    { path: 'shipping_address', code: 'wrong_type', message: 'Expected an object' },
  ]);
  expect(listIssues(errors)).toEqual([{ field: undefined, message: 'Expected an object', hint: undefined }]);
});
