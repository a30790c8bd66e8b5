import { buildOrderUpdate } from '@orders/testing';
import type { FieldPath } from 'react-hook-form';
import { expect, test } from 'vitest';
import { listIssues, moreOf } from './field-issues.ts';
import type { OrderForm } from './order-form.ts';
import { orderResolver } from './order-resolver.ts';
import { toForm } from './to-form.ts';

const base = buildOrderUpdate({ order_id: 'mine-1', cart: { items: [{ sku: 'A' }, { sku: 'B' }] } });

async function resolve(
  change: (form: OrderForm) => void,
  name?: FieldPath<OrderForm>,
  update: object = base,
) {
  const form = toForm(update);
  change(form);
  return orderResolver()(form, undefined, {
    ...(name ? { names: [name] } : {}),
    fields: {},
    shouldUseNativeValidation: false,
  });
}

test('yields the update itself for a form that passes', async () => {
  expect(await resolve(() => {})).toEqual({ values: base, errors: {} });
});

test('puts message and hint on the field, exactly as typed', async () => {
  const { errors } = await resolve((form) => {
    Object.assign(form.cart.items[0] ?? {}, { quantity: '2.5', unit_price: '14 900' });
    form.hooks.terms_url = 'shop';
    form.total_amount = '2147483648';
  });
  expect(listIssues(errors)).toMatchObject(
    [
      { field: 'total_amount', message: expect.stringContaining('2147483648') },
      { field: 'cart.items.0.quantity', message: expect.stringContaining('2.5'), hint: /whole numbers/ },
      { field: 'cart.items.0.unit_price', message: expect.stringContaining('14 900') },
      { field: 'hooks.terms_url', message: expect.stringContaining('shop') },
    ].map((issue) => ({ ...issue, hint: expect.any(String) })),
  );
});

test('says where a shipping address ceases to be JSON, and what to write', async () => {
  const { errors } = await resolve((form) => {
    form.shipping_address = '{\n  "city": "Oslo",\n  "zip": NaN\n}';
  });
  expect(listIssues(errors)).toEqual([
    {
      field: 'shipping_address',
      message: 'Line 3, column 10: JSON has no NaN',
      hint: expect.stringContaining('leave the field out'),
    },
  ]);
});

test('leaves a shipping address that is JSON and no object to the schema', async () => {
  const { errors } = await resolve((form) => {
    form.shipping_address = '["Oslo"]';
  });
  expect(listIssues(errors)).toMatchObject([
    { field: 'shipping_address', message: 'Expected an object, got a list' },
  ]);
});

test('looks at the line of the field that is typed in, and at no other', async () => {
  const spoil = (form: OrderForm) => {
    for (const line of form.cart.items) line.quantity = 'x';
    form.order_id = 'x'.repeat(256);
  };
  const found = async (name: FieldPath<OrderForm>) => {
    const { errors } = await resolve(spoil, name);
    return listIssues(errors).map(({ field }) => field);
  };
  expect(await found('cart.items.1.sku')).toEqual(['cart.items.1.quantity']);
  expect(await found('cart.items')).toEqual(['cart.items.0.quantity', 'cart.items.1.quantity']);
  expect(await found('order_id')).toEqual(['order_id']);
  expect(await found('cart.items.7.sku')).toEqual([]);
});

test('tells every mistake in what is carried along, by its name', async () => {
  const pasted = {
    cart: { items: [{ Sku: 'A', unitPrice: 3 }, 'MUG'] },
    shipping_adress: {},
    webhook_url: 'https://shop.example',
    hooks: { termsUrl: 'https://shop.example' },
  };
  const { errors } = await resolve(() => {}, undefined, pasted);
  expect(listIssues(errors).map(({ field, message }) => [field, message])).toEqual([
    ['cart.items.0.carried', 'Sku: Unknown field'],
    ['cart.items.1.carried', 'line: Expected an object, got "MUG"'],
    ['hooks.carried', 'termsUrl: Unknown field'],
    ['carried', 'shipping_adress: Unknown field'],
  ]);
  expect(moreOf(errors.carried ?? {})).toEqual(['webhook_url: Unknown field. Move it to hooks.webhook_url.']);
  expect(moreOf(errors.cart?.items?.[0]?.carried ?? {})).toEqual([
    'unitPrice: Unknown field. Did you mean unit_price?',
  ]);
});
