import { expect, expectTypeOf, test } from 'vitest';
import { z as classic } from 'zod';
import * as z from 'zod/mini';
import { explanationsOf } from '../test/problems.ts';
import { defineOrderUpdate, explain, OrderUpdate } from './index.ts';
import { describeTypeIssue } from './json-body.ts';

const body = { note: { b: 1, a: 2 }, cart: { z: 1, items: [] }, order_id: 'a' };
const bad = { orderId: 'a', cart: { items: [{ quantity: '2' }] } };
const explanations = [
  { path: 'cart.items[0].quantity', code: 'invalid_type', hint: 'Write 2, without quotes.' },
  { path: 'orderId', code: 'misspelled', hint: 'Did you mean order_id?' },
];
const below = (prefix: string) =>
  explanations.map((issue) => ({ ...issue, path: `${prefix}.${issue.path}` }));

test('composes inside classic zod', () => {
  const Form = classic.object({ order: OrderUpdate, more: classic.array(OrderUpdate).optional() });
  expectTypeOf<classic.infer<typeof Form>>().toEqualTypeOf<{
    order: OrderUpdate;
    more?: OrderUpdate[] | undefined;
  }>();
  expect(JSON.stringify(Form.parse({ order: body }))).toBe(JSON.stringify({ order: body }));
  expect(explanationsOf(Form, { order: bad })).toMatchObject(below('order'));
  expect(explanationsOf(Form, { order: body, more: [bad] })).toMatchObject(below('more[0]'));
  expect(explanationsOf(Form, {})).toMatchObject([{ path: 'order', code: 'required' }]);
});

test('composes inside zod/mini, optional and in a union', () => {
  const Form = z.object({
    order: z.optional(OrderUpdate),
    either: z.optional(z.union([z.string(), OrderUpdate])),
  });
  expect(Form.parse({})).toStrictEqual({});
  expect(Form.parse({ order: body, either: body })).toStrictEqual({ order: body, either: body });
  expect(explanationsOf(Form, { order: bad })).toMatchObject(below('order'));
});

test('keeps the issues that a pipe has found before it', () => {
  const early = z.any().check(({ issues, value }) => {
    issues.push({ code: 'custom', message: 'early', input: value, continue: true });
  });
  const { error } = z.pipe(early, OrderUpdate).safeParse(bad);
  expect(error?.issues[0]?.message).toBe('early');
});

test('takes checks of your own on top, which see the checked copy', () => {
  const Priced = OrderUpdate.check(
    z.refine(({ cart }) => (cart.items ?? []).length > 0, {
      error: 'An empty cart',
      path: ['cart', 'items'],
    }),
  );
  expect(Priced.safeParse({ cart: { items: [{}] } }).success).toBe(true);
  expect(explanationsOf(Priced, { cart: {} })).toEqual([
    { path: 'cart.items', code: 'custom', message: 'An empty cart' },
  ]);
});

test('implements Standard Schema, with paths and hints', () => {
  const standard = OrderUpdate['~standard'];
  expect(standard).toMatchObject({ version: 1, vendor: 'zod' });
  expect(standard.validate(body)).toStrictEqual({ value: body });
  const result = standard.validate(bad);
  if (result instanceof Promise || result.issues === undefined) throw new Error('Expected issues at once.');
  expect(result.issues.map(({ path }) => path)).toEqual([['cart', 'items', 0, 'quantity'], ['orderId']]);
  expect(explain({ issues: result.issues })).toMatchObject(explanations);
  type Output = NonNullable<(typeof standard)['types']>['output'];
  expectTypeOf<Output>().toEqualTypeOf<OrderUpdate>();
});

test('its error holds no value that was checked', () => {
  const secret = {
    cart: {},
    order_id: { card: '4111111111111111' },
    unknown: new Map([['card', '4111111111111111']]),
  };
  const { error } = OrderUpdate.safeParse(secret);
  expect(error?.issues).toHaveLength(2);
  expect(JSON.stringify(error) + String(error) + JSON.stringify(error?.issues)).not.toContain('4111');
});

test.each<[body: unknown, path: string, message: string]>([
  [undefined, '', 'Required'],
  [{}, 'cart', 'Required'],
  [7, '', 'Expected an object, got 7'],
  [{ cart: [] }, 'cart', 'Expected an object, got a list'],
  [{ cart: { items: {} } }, 'cart.items', 'Expected a list, got an object'],
  [{ cart: { items: [{ quantity: '2' }] } }, 'cart.items[0].quantity', 'Expected an integer, got "2"'],
  [{ cart: { items: [{ quantity: 0.5 }] } }, 'cart.items[0].quantity', 'Expected an integer, got 0.5'],
  [
    { cart: { items: [{ quantity: 2 ** 53 }] } },
    'cart.items[0].quantity',
    'Expected an integer from -9007199254740991 to 9007199254740991, got 9007199254740992',
  ],
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
])('says what is wrong with %j', (body, path, message) => {
  expect(explanationsOf(OrderUpdate, body)).toMatchObject([{ path, message }]);
});

test('a number of your own is not called an integer', () => {
  const Update = defineOrderUpdate({
    fields: { order: { weight: z.number(), odd: z.number().check(z.positive()) } },
  });
  expect(explanationsOf(Update, { cart: {}, weight: '1', odd: 'x' })).toMatchObject([
    { path: 'weight', message: 'Expected a number, got "1"', hint: 'Write 1, without quotes.' },
    { path: 'odd', message: 'Expected a number, got "x"', hint: 'Write a number.' },
  ]);
});

test('describes types of other schemas, and leaves other issues as they are', () => {
  expect(describeTypeIssue({ code: 'invalid_type', expected: 'date', input: 5 })).toEqual({
    code: 'invalid_type',
    message: 'Expected date, got 5',
    hint: 'Write date.',
  });
  expect(describeTypeIssue({ code: 'custom', input: 5 })).toBeUndefined();
});

test('keeps the message that a schema of your own brings along', () => {
  const Update = defineOrderUpdate({ fields: { order: { note: z.string('Write a note') } } });
  expect(explanationsOf(Update, { cart: {}, note: 5 })).toEqual([
    { path: 'note', code: 'invalid_type', message: 'Write a note' },
  ]);
});

test('words a message before the locale does', () => {
  // It is one object, which changes.
  const { localeError } = classic.config();
  classic.config(classic.locales.de());
  try {
    expect(explanationsOf(OrderUpdate, { cart: {}, order_id: 5 })).toMatchObject([
      { message: 'Expected a string, got 5' },
    ]);
  } finally {
    classic.config({ localeError });
  }
});
