import { buildOrderUpdate, documentedExample } from '@orders/testing';
import { orderUpdates } from '@orders/testing/arbitraries';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeskUpdate, fieldNames } from '../../contract/desk-update.ts';
import { emptyLine, textNames } from './order-form.ts';
import { toForm } from './to-form.ts';
import { toOrderUpdate } from './to-order-update.ts';

const updates = orderUpdates({ definition: fieldNames });

/** An update without the one thing that a form cannot tell from a field left out: text that is empty. */
function withoutEmptyText(update: DeskUpdate): object {
  const strip = (fields: object, names: readonly string[]) =>
    Object.fromEntries(
      Object.entries(fields).filter(([name, value]) => value !== '' || !names.includes(name)),
    );
  const { items } = update.cart;
  return {
    ...strip(update, textNames),
    cart: {
      ...update.cart,
      ...(items ? { items: items.map((item) => strip(item, ['type', 'sku', 'name'])) } : {}),
    },
  };
}

test('an untouched form makes the same update, but for fields that hold empty text, which are left out', () => {
  fc.assert(
    fc.property(updates, (update) => {
      expect(toOrderUpdate(toForm(update))).toEqual(withoutEmptyText(update as DeskUpdate));
    }),
    { numRuns: 1_000 },
  );
});

test('a form is all text, and survives being kept as JSON', () => {
  fc.assert(
    fc.property(updates, (update) => {
      const form = toForm(update);
      expect(JSON.parse(JSON.stringify(form))).toEqual(form);
    }),
  );
});

test('whatever JSON becomes a form, and an update again that says the same of it', () => {
  const cart = fc.record({
    items: fc.array(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()))),
  });
  const body = fc.record({
    cart: fc.oneof(cart, fc.jsonValue()),
    hooks: fc.jsonValue(),
    order_id: fc.jsonValue(),
  });
  fc.assert(
    fc.property(fc.oneof(body, fc.jsonValue()), (json) => {
      const again = toOrderUpdate(toForm(json));
      expect(toOrderUpdate(toForm(again))).toEqual(again);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  { cart: {} },
  { cart: { items: [] } },
  { cart: { items: [{}] }, hooks: {} },
  buildOrderUpdate({
    note: ['kept'],
    cart: { colour: 'blue', items: [{ sku: 'a', gift: true }] } as object,
    hooks: { own_url: 'x' } as object,
  }),
  // What no field can hold is carried, for the schema to say so.
  { cart: null },
  { cart: [], hooks: 'https://shop.example' },
  { cart: { items: { sku: 'a' } }, order_id: { id: 1 }, require_shipping: 'true', express_shipping: null },
  { cart: { items: ['MUG', 3, null, [], { quantity: [], unit_price: '' }] } },
  { cart: { items: [{ sku: 1e21, quantity: 1e21, unit_price: 399.7999999999997 }] } },
  JSON.parse('{"cart":{"__proto__":1,"items":[{"__proto__":{"a":1}}]},"shipping_address":{"__proto__":2}}'),
  { cart: {}, shipping_address: 'Storgata 1' },
  { cart: {}, shipping_address: ['Storgata 1'] },
])('makes the same update of an untouched form: %j', (update) => {
  const again = toOrderUpdate(toForm(update));
  expect(again).toEqual(update);
  expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(update)));
});

test('takes numbers and text for each other where the field says what is meant', () => {
  const update = { cart: { items: [{ sku: 4711, quantity: '2', unit_price: 'free' }] }, total_amount: '7' };
  expect(toOrderUpdate(toForm(update))).toEqual({
    cart: { items: [{ sku: '4711', quantity: 2, unit_price: 'free' }] },
    total_amount: 7,
  });
});

test('what is typed goes before what was carried in its place', () => {
  const form = toForm({ cart: 'none', order_id: {}, hooks: 3, require_shipping: 'no' });
  const typed = {
    ...form,
    order_id: 'mine',
    require_shipping: 'yes' as const,
    cart: { ...form.cart, items: [{ ...emptyLine, sku: 'a' }] },
    hooks: { ...form.hooks, terms_url: 'https://shop.example' },
  };
  expect(toOrderUpdate(typed)).toEqual({
    order_id: 'mine',
    require_shipping: true,
    cart: { items: [{ type: 'physical', sku: 'a', quantity: 1 }] },
    hooks: { terms_url: 'https://shop.example' },
  });
});

test('leaves out what is emptied', () => {
  const form = toForm(documentedExample());
  const [line = emptyLine] = form.cart.items;
  const update = toOrderUpdate({
    ...form,
    order_id: '',
    purchase_currency: '',
    require_shipping: '',
    shipping_address: ' \n',
    cart: { ...form.cart, items: [{ ...line, sku: '', quantity: ' ' }] },
    hooks: { ...form.hooks, terms_url: '' },
  });
  for (const name of ['order_id', 'purchase_currency', 'require_shipping', 'shipping_address']) {
    expect(update).not.toHaveProperty(name);
  }
  expect(update).not.toHaveProperty('hooks.terms_url');
  expect(update).toHaveProperty('cart.items', [
    { type: 'physical', name: 'Blue mug', unit_price: 14900, discount_rate: 0, vat_amount: 5960 },
  ]);
});

test('sends an empty list for a cart whose last line was removed', () => {
  const form = toForm(documentedExample());
  expect(toOrderUpdate({ ...form, cart: { ...form.cart, items: [] } })).toHaveProperty('cart', { items: [] });
});

test('a documented update passes the schema of the desk after the way through the form', () => {
  expect(DeskUpdate.safeParse(toOrderUpdate(toForm(documentedExample()))).success).toBe(true);
});
