import { isDeepStrictEqual } from 'node:util';
import {
  Cart,
  CartItem,
  currencyCodes,
  defineOrderUpdate,
  OrderUpdate,
  type OrderUpdateSchema,
} from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { awkward, named, own, ownValues } from '../../test/definitions.ts';
import { cartItems, carts, orderUpdates } from './order-updates.ts';
import { jsonObjects } from './values.ts';

const runs = { numRuns: inFull ? 300 : 60 };
const some = { numRuns: inFull ? 2_000 : 500, seed: 1 };

// A generator that stops covering a rule fails no property, so the coverage of one sample is counted.
const updates = fc.sample(orderUpdates({ definition: named }), { numRuns: inFull ? 2_000 : 1_500, seed: 1 });
const lines = updates.flatMap(({ cart }) => cart.items ?? []);
const hooks = updates.flatMap((update) => update.hooks ?? []);
const amountNames = ['quantity', 'unit_price', 'discount_rate', 'vat_amount'] as const;
const returnNames = ['user_return_url_on_success', 'user_return_url_on_fail'] as const;
const urlNames = [...returnNames, 'terms_url', 'webhook_url'] as const;
const topNames =
  'cart order_id purchase_currency require_shipping express_shipping shipping_address hooks user_session_id ' +
  'user_identifier meta_1 meta_2 total vat qr_session';

test.each<[string, OrderUpdateSchema, fc.Arbitrary<object>]>([
  ['OrderUpdate', OrderUpdate, orderUpdates()],
  ['OrderUpdate, with known fields only,', OrderUpdate, orderUpdates({ unknownFields: false })],
  ['a definition', defineOrderUpdate(named), orderUpdates({ definition: named })],
  ['a definition with awkward names', defineOrderUpdate(awkward), orderUpdates({ definition: awkward })],
  [
    'a definition with own fields',
    defineOrderUpdate(own),
    orderUpdates({ definition: own, values: ownValues }),
  ],
])('%s accepts every update, compiled too, and JSON text carries it', (_, schema, updates) => {
  const compiled = compileOrderUpdate(schema);
  fc.assert(
    fc.property(updates, (update) => {
      expect(schema.safeParse(update).error?.issues).toBeUndefined();
      expect(compiled.safeParse(update).error?.issues).toBeUndefined();
      expect(isDeepStrictEqual(JSON.parse(JSON.stringify(update)), update)).toBe(true);
    }),
    runs,
  );
});

test('Cart and CartItem accept every cart and every line', () => {
  fc.assert(
    fc.property(carts(), cartItems(), (cart, item) => {
      expect(Cart.safeParse(cart).success).toBe(true);
      expect(CartItem.safeParse(item).success).toBe(true);
    }),
    runs,
  );
});

test.each<[string, readonly object[], readonly string[]]>([
  ['order', updates, topNames.split(' ')],
  ['cart', updates.map(({ cart }) => cart), ['items']],
  ['item', lines, ['type', 'sku', 'name', ...amountNames]],
  ['hooks', hooks, urlNames],
])(
  'in %s, every field is often present and often absent, and unknown ones of every JSON type are among them',
  (level, objects, names) => {
    for (const name of names) {
      const share = objects.filter((fields) => Object.hasOwn(fields, name)).length / objects.length;
      expect([name, share > 0.5]).toEqual([name, true]);
      expect([name, share < 1]).toEqual([name, name !== 'cart']);
    }
    const unknown = objects.flatMap((fields) =>
      Object.entries(fields).filter(([name]) => !names.includes(name)),
    );
    const types = new Set(
      unknown.map(([, value]) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)),
    );
    expect([level, types]).toEqual([
      level,
      new Set(['null', 'boolean', 'number', 'string', 'array', 'object']),
    ]);
  },
);

test('limited texts have 0, 1 and 255 code points, of one UTF-16 unit and of two', () => {
  for (const name of ['order_id', 'meta_1', 'meta_2'] as const) {
    const sizes = new Set(
      updates.flatMap(({ [name]: text }) =>
        text === undefined ? [] : [`${[...text].length} in ${text.length}`],
      ),
    );
    for (const size of ['0 in 0', '1 in 1', '1 in 2', '5 in 5', '255 in 255', '255 in 510']) {
      expect([name, size, sizes.has(size)]).toEqual([name, size, true]);
    }
  }
});

test.each<[string, number, number]>([
  ...amountNames.map((name): [string, number, number] => [
    name,
    Number.MIN_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER,
  ]),
  ['total', -(2 ** 31), 2 ** 31 - 1],
  ['vat', -(2 ** 31), 2 ** 31 - 1],
])('%s is a small integer, of any sign, or at the ends of its range: %i and %i', (name, min, max) => {
  const values = [...lines, ...updates].flatMap(
    ({ [name]: value }: Readonly<Record<string, unknown>>) => value ?? [],
  );
  for (const edge of [0, 1, -1, min, max])
    expect([edge, values.filter((value) => value === edge).length > 5]).toEqual([edge, true]);
  expect(new Set(values).size).toBeGreaterThan(500);
});

test('listed currencies occur, and no others', () => {
  const currenciesOf = (all: readonly OrderUpdate[]) =>
    new Set(all.flatMap(({ purchase_currency }) => purchase_currency ?? []));
  const listed = currenciesOf(fc.sample(orderUpdates({ unknownFields: false, maxItems: 0 }), some));
  expect(listed.size).toBeGreaterThan(50);
  expect([...listed].filter((code) => !currencyCodes.includes(code))).toEqual([]);
  expect(currenciesOf(updates)).toEqual(new Set(['EUR', 'NOK']));
});

test('URLs have placeholders, ports, queries and any script; return URLs lead to apps, too', () => {
  const any = [/\{order_token\}/, /:\d+/, /\?/, /#/, /^HTTPS:/, /^Http:/, /ü/, /[\u{10000}-\u{10ffff}]/u];
  const apps = [/^myapp:\/\//, /^my\.app\+x-1:/, /^MYAPP:/, /^mailto:/, /^javascripts:/, /^datas:/];
  for (const name of urlNames) {
    const urls = hooks.flatMap((fields) => fields[name] ?? []);
    const found = (kinds: readonly RegExp[]) => kinds.filter((kind) => urls.some((url) => kind.test(url)));
    expect([name, found(any)]).toEqual([name, any]);
    expect([name, found(apps)]).toEqual([name, name.includes('return') ? apps : []]);
  }
});

test('every host is reserved for documentation', () => {
  const reserved =
    /^https?:\/\/(user:secret@)?([\p{L}\d{}.-]+\.example|192\.0\.2\.7|\[2001:db8::7\])(:\d+)?([/?#]|$)/iu;
  const urls = hooks.flatMap((fields) => urlNames.flatMap((name) => fields[name] ?? []));
  for (const url of urls) if (/^https?:/i.test(url)) expect(url).toMatch(reserved);
});

test('carts have no list, an empty one, one line and up to the most', () => {
  const lengths = fc.sample(carts({ maxItems: 7 }), some).map(({ items }) => items?.length);
  expect(new Set(lengths)).toEqual(new Set([undefined, 0, 1, 2, 3, 4, 5, 6, 7]));
  expect(fc.sample(carts({ maxItems: 0 }), some).some(({ items = [] }) => items.length > 0)).toBe(false);
});

test('lines have the documented types and any other', () => {
  const types = new Set(lines.map(({ type }) => type));
  for (const type of ['physical', 'shipping_fee', 'digital', '', undefined]) {
    expect(types.has(type)).toBe(true);
  }
  expect(types.size).toBeGreaterThan(100);
});

test('unknown fields can be left out', () => {
  const known = fc.sample(orderUpdates({ unknownFields: false, definition: named }), some);
  expect(new Set(known.flatMap((update) => Object.keys(update)))).toEqual(new Set(topNames.split(' ')));
});

test('no JSON object has a field __proto__', () => {
  // fast-check generates the name too rarely for a sample, so the question is whether it could.
  const objects = jsonObjects(fc.constant(1));
  expect(objects.canShrinkWithoutContext(JSON.parse('{"proto":1}'))).toBe(true);
  expect(objects.canShrinkWithoutContext(JSON.parse('{"__proto__":1}'))).toBe(false);
});

test('own fields have the given values; required ones are always present, optional ones without values never', () => {
  const updates = fc.sample(orderUpdates({ definition: own, values: ownValues, maxItems: 1 }), some);
  expect(new Set(updates.map(({ parent }) => parent))).toEqual(new Set(['ord_1', 'ord_2']));
  expect(new Set(updates.flatMap(({ cart }) => cart.items ?? []).map(({ serial }) => serial))).toEqual(
    new Set(['s-1']),
  );
  expect(new Set(updates.flatMap(({ hooks }) => hooks ?? []).map(({ label }) => label))).toEqual(
    new Set(['l-1']),
  );
  expect(updates.some((update) => Object.hasOwn(update, 'channel_name'))).toBe(false);
});

test('a required own field without values is a TypeError that says what to write', () => {
  expect(() => carts({ definition: own })).toThrow(TypeError);
  expect(() => orderUpdates({ definition: own })).toThrow(
    'give values: { item: { "serial": an arbitrary of fast-check } }.',
  );
  const { item } = ownValues;
  expect(() => cartItems({ definition: own, values: { item } })).not.toThrow();
});

test('options that cannot be used are a TypeError', () => {
  expect(() => orderUpdates({ definition: { totalAmount: 'cart' } })).toThrow(
    'The field cart is defined already',
  );
  expect(() => orderUpdates({ definition: { currencies: [] } })).toThrow(TypeError);
  for (const maxItems of [-1, 1.5, Number.NaN]) {
    expect(() => orderUpdates({ maxItems })).toThrow(`maxItems: ${maxItems} cannot be used`);
  }
  expect(() => orderUpdates({ maxItem: 2 } as object)).toThrow('Did you mean "maxItems"?');
});

test('an update shrinks to what matters, in a few steps and through valid updates only', () => {
  const check = <T extends object>(of: fc.Arbitrary<T>, passes: (update: T) => boolean) => {
    let calls = 0;
    const property = fc.property(of, (update) => {
      calls++;
      return passes(update);
    });
    const { counterexample, numRuns } = fc.check(property, { numRuns: 2_000, seed: 3 });
    expect(calls - numRuns).toBeLessThan(2_000);
    return counterexample?.[0];
  };
  const quantities = ({ cart }: OrderUpdate) => cart.items?.map(({ quantity = 0 }) => quantity) ?? [];
  expect(check(orderUpdates(), (update) => Math.max(0, ...quantities(update)) <= 5)).toEqual({
    cart: { items: [{ quantity: 6 }] },
  });
  expect(check(orderUpdates(), () => false)).toEqual({ cart: {} });
  expect(check(orderUpdates(), ({ hooks }) => hooks?.terms_url === undefined)).toEqual({
    cart: {},
    hooks: { terms_url: 'https://shop.example' },
  });
  expect(check(orderUpdates({ definition: named }), ({ total = 0 }) => total > -5)).toEqual({
    cart: {},
    total: -5,
  });
  const longest = check(orderUpdates(), ({ order_id = '' }) => [...order_id].length < 200);
  expect([...(longest?.order_id ?? '')].length).toBe(200);
  const isSmall = (update: OrderUpdate) => {
    expect(OrderUpdate.safeParse(update).success).toBe(true);
    return JSON.stringify(update).length < 200;
  };
  fc.check(fc.property(orderUpdates(), isSmall), { seed: 3 });
});

test('the type of an update follows the definition, as that of its schema does', () => {
  expectTypeOf(orderUpdates()).toEqualTypeOf<fc.Arbitrary<OrderUpdate>>();
  expectTypeOf(orderUpdates({ maxItems: 1 })).toEqualTypeOf<fc.Arbitrary<OrderUpdate>>();

  const Named = defineOrderUpdate(named);
  expectTypeOf(orderUpdates({ definition: named })).toEqualTypeOf<
    fc.Arbitrary<ReturnType<typeof Named.parse>>
  >();
  const inline = orderUpdates({ definition: { metadata: ['m'], totalAmount: 'total' } });
  const Inline = defineOrderUpdate({ metadata: ['m'], totalAmount: 'total' });
  expectTypeOf(inline).toEqualTypeOf<fc.Arbitrary<ReturnType<typeof Inline.parse>>>();

  const Own = defineOrderUpdate(own);
  type Own = ReturnType<typeof Own.parse>;
  expectTypeOf(orderUpdates({ definition: own, values: ownValues })).toEqualTypeOf<fc.Arbitrary<Own>>();
  expectTypeOf(carts({ definition: own, values: ownValues })).toEqualTypeOf<fc.Arbitrary<Own['cart']>>();
  expectTypeOf(cartItems({ definition: own, values: ownValues })).toEqualTypeOf<
    fc.Arbitrary<NonNullable<Own['cart']['items']>[number]>
  >();
  expectTypeOf(carts()).toEqualTypeOf<fc.Arbitrary<Cart>>();
  expectTypeOf(cartItems()).toEqualTypeOf<fc.Arbitrary<CartItem>>();

  // @ts-expect-error The definition adds no field of this name.
  orderUpdates({ definition: named, values: { order: { parent: fc.constant('a') } } });
  const order = { parent: fc.constant(1) };
  // @ts-expect-error A token is a text.
  orderUpdates({ definition: own, values: { ...ownValues, order } });
});
