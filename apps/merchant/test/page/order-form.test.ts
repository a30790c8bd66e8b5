import { buildOrderUpdate, documentedExample } from '@orders/testing';
import { expect, test } from 'vitest';
import {
  clearedFields,
  newLine,
  type OrderForm,
  readForm,
  resolver,
  staleAmounts,
  toForm,
} from '../../page/editor/order-form.ts';

const bodies: readonly Readonly<Record<string, unknown>>[] = [
  documentedExample(),
  buildOrderUpdate(),
  { cart: {} },
  { cart: { items: [] } },
  { cart: { items: [{ engraving: { text: '', lines: [null] } }, { quantity: 0 }] } },
  {
    cart: { items: [{ sku: 'A', unit_price: -1 }], coupon: null },
    total_amount: 5,
    total_vat_amount: -12345,
    gift: [],
  },
  {
    cart: {},
    shipping_address: { street: '', care_of: null, lines: [] },
    hooks: { locale: '' },
    order_id: '',
  },
  { cart: {}, require_shipping: false, express_shipping: true, merchant_note: ' a ' },
];

test.each(bodies)('an untouched form makes the same update: %j', (body) => {
  expect(readForm(toForm(body))).toEqual({ update: body });
});

test('an amount is typed in major units, with either separator, and a blank field is left out', () => {
  const form = toForm({ cart: { items: [{ sku: 'A', quantity: 1, unit_price: 25800 }] }, order_id: 'B' });
  expect(form.cart.items[0]?.unit_price).toBe('258.00');
  form.cart.items[0] = { ...newLine, sku: 'A', quantity: '2', unit_price: '258,5', type: '' };
  form.cart.items.push({ ...newLine });
  form.order_id = ' ';
  expect(readForm(form)).toEqual({
    update: { cart: { items: [{ sku: 'A', quantity: 2, unit_price: 25850 }] } },
  });
  const before = toForm({ cart: { items: [{ sku: 'A', quantity: 1 }] }, order_id: 'B' });
  expect(clearedFields(before, form)).toEqual(['order_id', 'cart.items.1']);
});

test('what is typed replaces what the form could not hold', () => {
  const form = toForm({ cart: {}, user_identifier: { number: 1 } });
  expect(readForm(form)).toEqual({ update: { cart: {}, user_identifier: { number: 1 } } });
  expect(readForm({ ...form, user_identifier: 'B-1' })).toEqual({
    update: { cart: {}, user_identifier: 'B-1' },
  });
});

test('each wrong field has an error, an address that is no JSON object too', async () => {
  const form = toForm({ cart: { items: [{ sku: 'A' }] } });
  const errorsOf = async (changed: Partial<OrderForm>) => (await resolver({ ...form, ...changed })).errors;
  expect(await errorsOf({ shipping_address: '{"city": Oslo}' })).toHaveProperty('shipping_address.message');
  expect(await errorsOf({ shipping_address: '["Oslo"]' })).toHaveProperty('shipping_address.message');
  expect(await errorsOf({ total_amount: '1.299,00' })).toHaveProperty('total_amount.type', 'group_separator');
  expect(await errorsOf({ purchase_currency: 'gold' })).toHaveProperty(
    'purchase_currency.type',
    'invalid_currency',
  );
  const items = [{ ...newLine, sku: 'A', quantity: '2.5' }];
  expect(await errorsOf({ cart: { ...form.cart, items } })).toHaveProperty([
    'cart',
    'items',
    '0',
    'quantity',
    'type',
  ]);
});

test('an address with a number that would be sent as another one has an error, beside those of other fields', async () => {
  const form = { ...toForm({ cart: {} }), purchase_currency: 'gold' };
  const resolve = (shipping_address: string) => resolver({ ...form, shipping_address });
  for (const number of ['9007199254740993', '1e400'])
    expect((await resolve(`{"id":${number}}`)).errors).toMatchObject({
      shipping_address: { type: 'inexact_number', message: expect.stringContaining('would be sent') },
      purchase_currency: { type: 'invalid_currency' },
    });
  expect((await resolve('{"id":9007199254740991,"ratio":1.50}')).errors).not.toHaveProperty(
    'shipping_address',
  );
});

const priced = {
  cart: {
    items: [
      { sku: 'A', quantity: 1, unit_price: 100, discount_rate: 0, vat_amount: 20 },
      { sku: 'B', quantity: 2, unit_price: 300 },
    ],
  },
  total_amount: 700,
  total_vat_amount: 20,
};
type Priced = ReturnType<typeof toForm>;
const totals = ['total_amount', 'total_vat_amount'];

test.each<[string, (form: Priced) => unknown, readonly string[]]>([
  ['nothing', () => {}, []],
  ['a name', ({ cart }) => Object.assign(cart.items[0] ?? {}, { name: 'x' }), []],
  [
    'a price',
    ({ cart }) => Object.assign(cart.items[0] ?? {}, { unit_price: '2' }),
    ['cart.items.0.vat_amount', ...totals],
  ],
  [
    'a quantity',
    ({ cart }) => Object.assign(cart.items[0] ?? {}, { quantity: '2' }),
    ['cart.items.0.vat_amount', ...totals],
  ],
  [
    'a discount',
    ({ cart }) => Object.assign(cart.items[0] ?? {}, { discount_rate: '5' }),
    ['cart.items.0.vat_amount', ...totals],
  ],
  [
    'a price of a line without VAT',
    ({ cart }) => Object.assign(cart.items[1] ?? {}, { unit_price: '2' }),
    totals,
  ],
  [
    'the VAT of a line',
    ({ cart }) => Object.assign(cart.items[0] ?? {}, { vat_amount: '2' }),
    ['total_vat_amount'],
  ],
  ['the sequence of lines', ({ cart }) => cart.items.reverse(), []],
  ['a line that is removed', ({ cart }) => cart.items.pop(), totals],
  ['a line that is added', ({ cart }) => cart.items.push({ ...newLine, unit_price: '5' }), totals],
  [
    'a price and all that depends on it',
    (form) => {
      Object.assign(form.cart.items[0] ?? {}, { unit_price: '2', vat_amount: '0.40' });
      Object.assign(form, { total_amount: '8', total_vat_amount: '0.40' });
    },
    [],
  ],
  [
    'a price, with totals left out',
    (form) => {
      Object.assign(form.cart.items[1] ?? {}, { unit_price: '2' });
      Object.assign(form, { total_amount: '', total_vat_amount: '' });
    },
    [],
  ],
])('after a change of %s, the amounts that should have followed are named', (_, change, stale) => {
  const form = toForm(priced);
  change(form);
  expect(staleAmounts(toForm(priced), form)).toEqual(stale);
});
