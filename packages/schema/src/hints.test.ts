import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { explanationsOf, problemsOf } from '../test/problems.ts';
import { hintFor, show } from './hints.ts';
import { defineOrderUpdate, OrderUpdate } from './index.ts';

test.each<[value: unknown, shown: string]>([
  [1.5, '1.5'],
  [-0, '0'],
  [true, 'true'],
  [null, 'null'],
  [[1], 'a list'],
  [{ a: 1 }, 'an object'],
  ['a "quote"', '"a \\"quote\\""'],
  ['\ud800', '"\\ud800"'],
  ['x'.repeat(40), `"${'x'.repeat(40)}"`],
  ['x'.repeat(41), `"${'x'.repeat(39)}…"`],
  ['🧡'.repeat(40), `"${'🧡'.repeat(40)}"`],
  ['🧡'.repeat(9_999), `"${'🧡'.repeat(39)}…"`],
])('shows %j as %s', (value, shown) => {
  expect(show(value)).toBe(shown);
});

test.each<[body: unknown, path: string, message: string]>([
  [undefined, '', 'Required'],
  [{}, 'cart', 'Required'],
  [7, '', 'Expected an object, got 7'],
  [{ cart: [] }, 'cart', 'Expected an object, got a list'],
  [{ cart: { items: {} } }, 'cart.items', 'Expected a list, got an object'],
  [{ cart: { items: [{ quantity: '2' }] } }, 'cart.items[0].quantity', 'Expected an integer, got "2"'],
  [{ cart: { items: [{ quantity: 0.5 }] } }, 'cart.items[0].quantity', 'Expected an integer, got 0.5'],
  [{ cart: {}, require_shipping: 'true' }, 'require_shipping', 'Expected true or false, got "true"'],
  [{ cart: {}, order_id: null }, 'order_id', 'Expected a string, got null'],
  [{ cart: {}, order_id: 'a'.repeat(256) }, 'order_id', 'Expected at most 255 characters, got 256'],
  [
    { cart: {}, purchase_currency: 'usd' },
    'purchase_currency',
    'Expected an ISO 4217 currency code, got "usd"',
  ],
  [
    { cart: {}, hooks: { terms_url: '/terms' } },
    'hooks.terms_url',
    'Expected an http or https URL, got "/terms"',
  ],
  [
    { cart: {}, hooks: { user_return_url_on_fail: 'data:,x' } },
    'hooks.user_return_url_on_fail',
    'Expected an absolute URL, got "data:,x"',
  ],
  [{ cart: {}, unknown: NaN }, 'unknown', 'Cannot send NaN'],
  [{ cart: {}, orderId: 'a' }, 'orderId', 'Unknown field'],
])('tells what is wrong with %j', (body, path, message) => {
  expect(explanationsOf(OrderUpdate, body)).toMatchObject([{ path, message }]);
});

test('gives up on no value: a hint fits the root, and a field without a name', () => {
  expect(problemsOf(OrderUpdate, undefined)).toEqual([['', 'required', 'Add a value.']]);
});

test('tells a number of your own from an integer', () => {
  const Update = defineOrderUpdate({ extra: { weight: z.number(), odd: z.number().check(z.positive()) } });
  expect(explanationsOf(Update, { cart: {}, weight: '1', odd: 'x' })).toMatchObject([
    { path: 'weight', message: 'Expected a number, got "1"', hint: 'Write 1, without quotes.' },
    { path: 'odd', message: 'Expected a number, got "x"', hint: 'Write a number.' },
  ]);
});

test('puts issues of a foreign kind into words, or leaves them as they are', () => {
  expect(hintFor({ code: 'invalid_type', expected: 'date', input: 5 })).toEqual({
    rule: 'wrong_type',
    message: 'Expected date, got 5',
    hint: 'Write date.',
  });
  expect(hintFor({ code: 'custom', input: 5 })).toBeUndefined();
});

test('keeps the message that a schema of your own brings along', () => {
  const Update = defineOrderUpdate({ extra: { note: z.string('Write a note') } });
  expect(explanationsOf(Update, { cart: {}, note: 5 })).toEqual([
    { path: 'note', code: 'invalid_type', message: 'Write a note' },
  ]);
});
