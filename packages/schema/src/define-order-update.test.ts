import { runInNewContext } from 'node:vm';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { explanationsOf, problemsOf } from '../test/problems.ts';
import { type CartItemType, defineOrderUpdate, OrderUpdate, type OrderUpdateSchema } from './index.ts';

const Update = defineOrderUpdate({
  metadata: ['meta_1', 'meta_2'],
  totalAmount: 'total',
  vatAmount: 'vat',
  qrSessionId: 'qr_session',
  fields: {
    order: { channel: z.enum(['web', 'store']), campaign: z.optional(z.string()) },
    cart: { coupon: z.optional(z.string()) },
    item: { weight: z.optional(z.number()) },
    hooks: { cancel_url: z.optional(z.string()) },
  },
});
type Update = z.infer<typeof Update>;

const full: Update = {
  order_id: 'a',
  cart: { coupon: 'c', items: [{ sku: 's', weight: 0.5 }] },
  hooks: { cancel_url: 'x', terms_url: 'https://shop.example' },
  meta_1: 'm',
  meta_2: 'm',
  total: 1,
  vat: 0,
  qr_session: 'q',
  channel: 'web',
  campaign: 'autumn',
};

test('checks the fields that a definition names', () => {
  expect(Update.parse(full)).toStrictEqual(full);
  expect(
    problemsOf(Update, {
      cart: { coupon: 1, items: [{ weight: '1' }] },
      hooks: { cancel_url: 2 },
      total: 2 ** 31,
      meta_2: '🧡'.repeat(256),
    }),
  ).toEqual([
    ['cart.items[0].weight', 'invalid_type', 'Write 1, without quotes.'],
    ['cart.coupon', 'invalid_type', 'Write "1", in quotes.'],
    ['hooks.cancel_url', 'invalid_type', 'Write "2", in quotes.'],
    ['channel', 'invalid_value', undefined],
    ['meta_2', 'too_long', 'Shorten it by 1.'],
    ['total', 'out_of_range', 'Write a number in this range, or check its unit.'],
  ]);
});

test('types the fields that a definition names', () => {
  expectTypeOf<Update['meta_1']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Update['meta_2']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Update['total']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Update['vat']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Update['qr_session']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Update['channel']>().toEqualTypeOf<'web' | 'store'>();
  expectTypeOf<Update['campaign']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Update['cart']['coupon']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Update['order_id']>().toEqualTypeOf<string | undefined>();
  type Line = NonNullable<Update['cart']['items']>[number];
  expectTypeOf<Line['weight']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Line['type']>().toEqualTypeOf<CartItemType | undefined>();
  expectTypeOf<NonNullable<Update['hooks']>['cancel_url']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Update>().toExtend<OrderUpdate>();
  expectTypeOf(Update).toExtend<OrderUpdateSchema>();
  expectTypeOf<z.input<typeof Update>>().toEqualTypeOf<Update>();
});

test('misspelled literals, wrong types and a missing field of a definition do not compile', () => {
  const literals: Update[] = [
    // @ts-expect-error: meta_1
    { cart: {}, channel: 'web', meta1: 'a' },
    // @ts-expect-error: order_id
    { cart: {}, channel: 'web', orderId: 'a' },
    // @ts-expect-error: coupon
    { cart: { Coupon: 'a' }, channel: 'web' },
    // @ts-expect-error: weight
    { cart: { items: [{ Weight: 1 }] }, channel: 'web' },
    // @ts-expect-error: cancel_url
    { cart: {}, hooks: { cancelUrl: 'a' }, channel: 'web' },
    // @ts-expect-error: channel is required
    { cart: {} },
    // @ts-expect-error: a total is a number
    { cart: {}, channel: 'web', total: '1' },
    // @ts-expect-error: a definition names the channels
    { cart: {}, channel: 'phone' },
  ];
  expect(literals.flatMap((body) => problemsOf(Update, body))).toEqual([
    ['meta1', 'misspelled', 'Did you mean meta_1?'],
    ['orderId', 'misspelled', 'Did you mean order_id?'],
    ['cart.Coupon', 'misspelled', 'Did you mean coupon?'],
    ['cart.items[0].Weight', 'misspelled', 'Did you mean weight?'],
    ['hooks.cancelUrl', 'misspelled', 'Did you mean cancel_url?'],
    ['channel', 'invalid_value', undefined],
    ['total', 'invalid_type', 'Write 1, without quotes.'],
    ['channel', 'invalid_value', undefined],
  ]);
});

test('a definition without names is the documented update', () => {
  const Plain = defineOrderUpdate();
  type Plain = z.infer<typeof Plain>;
  expectTypeOf<Plain>().toExtend<OrderUpdate>();
  expectTypeOf<OrderUpdate>().toExtend<Plain>();
  // @ts-expect-error: no total was named
  const body: Plain = { cart: {}, total: 1.5 };
  expect(Plain.parse(body)).toStrictEqual(OrderUpdate.parse(body));
  expect(problemsOf(defineOrderUpdate({ metadata: ['note'] }), { cart: {}, note: 1 })).toHaveLength(1);
});

test('currencies replace the list, narrower or wider', () => {
  const codes = Array.from({ length: 12 }, (_code, index) => `CX${'ABCDEFGHIJKL'[index]}`);
  const Wide = defineOrderUpdate({ currencies: codes });
  const pay = (purchase_currency: string) => ({ cart: {}, purchase_currency });
  expect(Wide.safeParse(pay('CXL')).success).toBe(true);
  expect(problemsOf(Wide, pay('EUR'))).toEqual([
    ['purchase_currency', 'invalid_currency', 'Write the listed code, if the amounts are in it.'],
  ]);
  expect(problemsOf(defineOrderUpdate({ currencies: ['EUR'] }), pay('USD'))).toEqual([
    ['purchase_currency', 'invalid_currency', 'Write EUR, if the amounts are in it.'],
  ]);
});

test('literal currencies narrow the type of purchase_currency', () => {
  type Currency<Schema extends z.core.$ZodType> = (z.infer<Schema> & OrderUpdate)['purchase_currency'];
  const Narrow = defineOrderUpdate({ currencies: ['SEK', 'NOK'] });
  expectTypeOf<Currency<typeof Narrow>>().toEqualTypeOf<'SEK' | 'NOK' | undefined>();
  expectTypeOf<z.infer<typeof Narrow>>().toExtend<OrderUpdate>();
  expectTypeOf(Narrow).toExtend<OrderUpdateSchema>();
  // @ts-expect-error: EUR is not listed
  const body: z.infer<typeof Narrow> = { cart: {}, purchase_currency: 'EUR' };
  expect(problemsOf(Narrow, body)).toHaveLength(1);
  const codes: readonly string[] = ['SEK'];
  expectTypeOf(defineOrderUpdate({ currencies: codes }).parse)
    .returns.toHaveProperty('purchase_currency')
    .toEqualTypeOf<string | undefined>();
  expectTypeOf(defineOrderUpdate().parse)
    .returns.toHaveProperty('purchase_currency')
    .toEqualTypeOf<string | undefined>();
});

test.each<[currencies: string[], message: string]>([
  [['EUR'], 'Expected EUR, got "USD"'],
  [['EUR', 'SEK', 'EUR'], 'Expected one of EUR, SEK, got "USD"'],
  [[...'ABC'].map((last) => `NO${last}`), 'Expected one of NOA, NOB, NOC, got "USD"'],
  [[...'ABCDEFGHIJ'].map((last) => `NO${last}`), 'Expected one of 10 listed currency codes, got "USD"'],
])('names the codes of a short list of currencies: %j', (currencies, message) => {
  const Update = defineOrderUpdate({ currencies });
  expect(explanationsOf(Update, { cart: {}, purchase_currency: 'USD' })).toMatchObject([{ message }]);
});

test('a field of your own is checked, not changed, and sees plain JSON', () => {
  const seen: unknown[] = [];
  const Changing = defineOrderUpdate({
    fields: {
      order: {
        trimmed: z.optional(z.string().check(z.trim())),
        filled: z._default(z.string(), 'x'),
        moved: z.pipe(
          z.any(),
          z.transform((value) => seen.push(value)),
        ),
      },
    },
  });
  const moved = Object.assign(Object.create(null), { at: undefined, to: 'b' });
  const body = { cart: {}, trimmed: ' a ', moved };
  expect(Changing.parse(body)).toStrictEqual({ cart: {}, trimmed: ' a ', moved: { to: 'b' } });
  expect(seen).toStrictEqual([{ to: 'b' }]);
});

test('a field of your own may be checked asynchronously', async () => {
  const taken = z.string().check(z.refine(async (value) => value !== 'taken', 'Taken'));
  const Async = defineOrderUpdate({ fields: { order: { order_name: taken } } });
  await expect(Async.parseAsync({ cart: {}, order_name: 'free' })).resolves.toStrictEqual({
    cart: {},
    order_name: 'free',
  });
  const { error } = await Async.safeParseAsync({ cart: { items: [{ sku: 1 }] }, order_name: 'taken' });
  expect(error?.issues).toMatchObject([
    { path: ['cart', 'items', 0, 'sku'] },
    { path: ['order_name'], message: 'Taken' },
  ]);
});

test('reports the first of more issues than a call of zod can hold, and does not throw', () => {
  const required = Object.fromEntries(Array.from('abcdefghij', (name) => [name, z.string()]));
  const lines = Array.from({ length: 14_000 }, () => ({}));
  const Strict = defineOrderUpdate({ fields: { order: { lines: z.array(z.object(required)) } } });
  expect(problemsOf(Strict, { cart: {}, lines })[0]).toEqual(['lines[0].a', 'required', 'Add a.']);
  const StrictItems = defineOrderUpdate({ fields: { item: required } });
  expect(StrictItems.safeParse({ cart: { items: lines } }).error?.issues).toHaveLength(140_000);
});

const untyped = defineOrderUpdate as (definition: unknown) => unknown;
const schemas = 'Write schemas of zod 4 by field name, such as { note: z.string() }.';
const badName = (name: string) => `A field cannot be named "${name}". Write the name that the API uses.`;
const twice = 'is defined already: give each field a name of its own.';
const noCode = 'currencies: Expected at least one code. List those that you use, or leave it out.';
const noCurrency = (code: string) =>
  `currencies: Expected three capital letters, got "${code}". Write the ISO 4217 code.`;

test.each<[definition: unknown, message: string]>([
  [{ totalAmount: '' }, badName('')],
  [{ qrSessionId: '__proto__' }, badName('__proto__')],
  [{ qrSessionId: 'constructor' }, badName('constructor')],
  [{ fields: { cart: JSON.parse('{"__proto__":1}') } }, badName('__proto__')],
  [{ totalAmount: 'sum', vatAmount: 'sum' }, `The field sum ${twice}`],
  [{ metadata: ['m'], fields: { order: { m: z.string() } } }, `The field m ${twice}`],
  [{ vatAmount: 'order_id' }, `The field order_id ${twice}`],
  [{ fields: { order: { cart: z.any() } } }, `The field cart ${twice}`],
  [{ fields: { cart: { items: z.any() } } }, `The field items ${twice}`],
  [{ fields: { item: { sku: z.any() } } }, `The field sku ${twice}`],
  [{ fields: { hooks: { terms_url: z.any() } } }, `The field terms_url ${twice}`],
  [{ currencies: [] }, noCode],
  ...['', 'EURO', 'eur', 'Eur', ' EUR', '€', 'EUR,SEK', '978'].map((code): [object, string] => [
    { currencies: ['EUR', code] },
    noCurrency(code),
  ]),
  [null, 'defineOrderUpdate: Expected an object, got null. Pass an object of options, or nothing.'],
  ['meta_1', 'defineOrderUpdate: Expected an object, got "meta_1". Pass an object of options, or nothing.'],
  [{ metadata: 'a' }, 'metadata: Expected a list of strings, got "a". Write ["a"].'],
  [
    { metadata: ['a', 5] },
    'metadata: Expected a string, got 5. Write the name that the API uses, in quotes.',
  ],
  [
    { metadata: ['a', 'b', 'c'] },
    'metadata: Expected at most two names, got 3. Declare other fields in fields.order.',
  ],
  [{ totalAmount: 5 }, 'totalAmount: Expected a string, got 5. Write the name that the API uses, in quotes.'],
  [
    { qrSessionId: null },
    'qrSessionId: Expected a string, got null. Write the name that the API uses, in quotes.',
  ],
  [{ currencies: 'EUR' }, 'currencies: Expected a list of strings, got "EUR". Write ["EUR"].'],
  [
    { fields: 'note' },
    'fields: Expected a plain object, got "note". Write an object of fields by place: order, cart, item or hooks.',
  ],
  [{ fields: { order: 'note' } }, `fields.order: Expected a plain object, got "note". ${schemas}`],
  [{ fields: { order: z.object({}) } }, `fields.order: Expected a plain object, got a schema. ${schemas}`],
  [
    { fields: { order: { note: 'string' } } },
    `fields.order.note: Expected a schema, got "string". ${schemas}`,
  ],
  [
    { fields: { order: { note: z.string } } },
    `fields.order.note: Expected a schema, got a function. ${schemas}`,
  ],
  [{ fields: { hooks: { url: null } } }, `fields.hooks.url: Expected a schema, got null. ${schemas}`],
  [{ currency: ['EUR'] }, 'defineOrderUpdate: unknown option "currency". Did you mean "currencies"?'],
  [{ fields: { orders: {} } }, 'defineOrderUpdate: fields: unknown option "orders". Did you mean "order"?'],
])('says what to write in place of %j', (definition, message) => {
  expect(() => untyped(definition)).toThrow(new TypeError(message));
});

test('a third metadata name, a name outside a list, an unknown option and an unknown place do not compile', () => {
  // @ts-expect-error: two names at most
  expect(() => defineOrderUpdate({ metadata: ['a', 'b', 'c'] })).toThrow(TypeError);
  // @ts-expect-error: a list
  expect(() => defineOrderUpdate({ metadata: 'a' })).toThrow(TypeError);
  // @ts-expect-error: currencies
  expect(() => defineOrderUpdate({ totalAmount: 'total', currency: ['EUR'] })).toThrow(TypeError);
  // @ts-expect-error: a schema
  expect(() => defineOrderUpdate({ fields: { order: { note: 'string' } } })).toThrow(TypeError);
  // @ts-expect-error: the places are order, cart, item and hooks
  expect(() => defineOrderUpdate({ fields: { item: {}, line: {} } })).toThrow('unknown option "line"');
});

test('an option that is undefined, and an empty list of names, count as left out', () => {
  const places = { order: undefined, cart: undefined, item: undefined, hooks: undefined };
  const names = { metadata: undefined, totalAmount: undefined, vatAmount: undefined, qrSessionId: undefined };
  for (const None of [
    defineOrderUpdate({ ...names, currencies: undefined, fields: undefined }),
    defineOrderUpdate({ fields: places }),
  ]) {
    expectTypeOf<z.infer<typeof None>>().toExtend<OrderUpdate>();
    expect(None.parse({ cart: {} })).toStrictEqual({ cart: {} });
  }
  const Update = defineOrderUpdate({ metadata: [], fields: { order: {} } });
  expectTypeOf<z.infer<typeof Update>>().toExtend<OrderUpdate>();
  // @ts-expect-error: no name was given
  const body: z.infer<typeof Update> = { cart: {}, note: 1 };
  expect(Update.parse(body)).toStrictEqual(body);
});

test('takes a definition without a prototype, and one of another realm', () => {
  const definition = runInNewContext('({ metadata: ["note"], fields: { order: Object.create(null) } })');
  expect(untyped(definition)).toBeDefined();
  expect(untyped(Object.assign(Object.create(null), { totalAmount: 'total' }))).toBeDefined();
});

test('a name that is only known as a string leaves the documented fields usable', () => {
  const name: string = 'note';
  const Update = defineOrderUpdate({ metadata: [name], totalAmount: 'total' as string });
  const update: z.infer<typeof Update> = { cart: {}, order_id: 'A-1' };
  expect(Update.safeParse({ ...update, note: 'x', total: 1 }).success).toBe(true);
});
