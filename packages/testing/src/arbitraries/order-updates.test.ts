import { isDeepStrictEqual } from 'node:util';
import { Cart, CartItem, defineOrderUpdate, OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { awkward, named, own, ownValues } from '../../test/definitions.ts';
import { inFull } from '../../test/in-full.ts';
import { cartItems, carts, orderUpdates } from './order-updates.ts';

const runs = { numRuns: inFull ? 300 : 150 };
const many = { numRuns: 1_000, seed: 1 };

const schemas: readonly [string, OrderUpdateSchema, fc.Arbitrary<object>][] = [
  ['OrderUpdate', OrderUpdate, orderUpdates()],
  ['OrderUpdate, of known fields alone', OrderUpdate, orderUpdates({ unknownFields: false })],
  ['a definition', defineOrderUpdate(named), orderUpdates({ definition: named })],
  ['a definition of awkward names', defineOrderUpdate(awkward), orderUpdates({ definition: awkward })],
  [
    'a definition of own fields',
    defineOrderUpdate(own),
    orderUpdates({ definition: own, values: ownValues }),
  ],
];

test.each(schemas)('%s takes every update, compiled too, and JSON text carries it', (_, schema, updates) => {
  const compiled = compileOrderUpdate(schema);
  fc.assert(
    fc.property(updates, (update) => {
      expect(schema.safeParse(update).error?.issues).toBeUndefined();
      expect(compiled.safeParse(update).error?.issues).toBeUndefined();
      const carried: unknown = JSON.parse(JSON.stringify(update));
      expect(isDeepStrictEqual(carried, update)).toBe(true);
      expect(JSON.stringify(schema.parse(update))).toBe(JSON.stringify(update));
    }),
    runs,
  );
});

test('carts and lines by themselves are what Cart and CartItem take', () => {
  fc.assert(
    fc.property(carts(), cartItems(), (cart, item) => {
      expect(Cart.safeParse(cart).success).toBe(true);
      expect(CartItem.safeParse(item).success).toBe(true);
    }),
    runs,
  );
});

test('own fields occur with the values that are given, required ones always', () => {
  const updates = fc.sample(orderUpdates({ definition: own, values: ownValues, maxItems: 1 }), many);
  expect(new Set(updates.map(({ parent }) => parent))).toEqual(new Set(['ord_1', 'ord_2']));
  expect(new Set(updates.flatMap(({ cart }) => cart.items ?? []).map(({ serial }) => serial))).toEqual(
    new Set(['s-1']),
  );
  expect(new Set(updates.flatMap(({ hooks }) => hooks ?? []).map(({ label }) => label))).toEqual(
    new Set(['l-1']),
  );
  expect(updates.some((update) => Object.hasOwn(update, 'channel_name'))).toBe(false);
});

test('an own field that is required and has no values is a TypeError that says what to write', () => {
  expect(() => orderUpdates({ definition: own })).toThrow(TypeError);
  expect(() => orderUpdates({ definition: own })).toThrow(
    'give values: { item: { "serial": an arbitrary of fast-check } }.',
  );
  expect(() => carts({ definition: own })).toThrow(TypeError);
  const { item } = ownValues;
  expect(() => cartItems({ definition: own, values: { item } })).not.toThrow();
});

test('a definition that defineOrderUpdate refuses is refused in the same words', () => {
  expect(() => orderUpdates({ definition: { totalAmount: 'cart' } })).toThrow(
    'The field cart is defined already: give each field a name of its own.',
  );
  expect(() => orderUpdates({ definition: { currencies: [] } })).toThrow(TypeError);
});

test.each([-1, 1.5, Number.NaN])('%s is no number of lines', (maxItems) => {
  expect(() => orderUpdates({ maxItems })).toThrow(`maxItems: ${maxItems} cannot be used`);
});

test('an update shrinks to what matters', () => {
  const smallest = <T>(of: fc.Arbitrary<T>, passes: (value: T) => boolean) =>
    fc.check(fc.property(of, passes), { numRuns: 2_000, seed: 3 }).counterexample?.[0];
  const tooMany = (update: OrderUpdate) => !update.cart.items?.some(({ quantity = 0 }) => quantity > 5);
  expect(smallest(orderUpdates(), tooMany)).toEqual({ cart: { items: [{ quantity: 6 }] } });
  expect(smallest(orderUpdates(), () => false)).toEqual({ cart: {} });
  expect(smallest(orderUpdates(), ({ hooks }) => hooks?.terms_url === undefined)).toEqual({
    cart: {},
    hooks: { terms_url: 'https://shop.example' },
  });
  const short = ({ order_id = '' }: OrderUpdate) => order_id.length < 9;
  expect(smallest(orderUpdates(), short)?.order_id?.length).toBeLessThan(11);
  expect(smallest(orderUpdates({ definition: named }), ({ total = 0 }) => total > -5)).toEqual({
    cart: {},
    total: -5,
  });
});

test('whatever shrinking tries is valid', () => {
  const wrong: unknown[] = [];
  for (let seed = 0; seed < 8; seed++) {
    const isTooLarge = fc.property(orderUpdates(), (update) => {
      if (!OrderUpdate.safeParse(update).success) wrong.push(update);
      return JSON.stringify(update).length < 200;
    });
    fc.check(isTooLarge, { seed });
  }
  expect(wrong).toEqual([]);
});

test('updates are fresh each time, and the same for a seed', () => {
  const updates = orderUpdates();
  const before = JSON.stringify(fc.sample(updates, { numRuns: 100, seed: 7 }));
  for (const update of fc.sample(updates, { numRuns: 100, seed: 7 })) spoilDeep(update);
  expect(JSON.stringify(fc.sample(updates, { numRuns: 100, seed: 7 }))).toBe(before);
  expect(JSON.stringify(fc.sample(orderUpdates(), { numRuns: 100, seed: 7 }))).toBe(before);
  expect(JSON.stringify(fc.sample(updates, { numRuns: 100, seed: 8 }))).not.toBe(before);
});

test('a thousand updates are made in under a second', () => {
  fc.sample(orderUpdates(), 10);
  const start = process.cpuUsage();
  fc.sample(orderUpdates(), { numRuns: 1_000, seed: 1 });
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
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

function spoilDeep(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) spoilDeep(inner);
  if (Array.isArray(value)) value.push('spoiled');
  else Object.assign(value, { spoiled: true });
}
