import { expect, expectTypeOf, test } from 'vitest';
import type * as z from 'zod/mini';
import { documentedExample } from '../test/bodies.ts';
import { problemsOf } from '../test/problems.ts';
import { type Cart, type Hooks, OrderUpdate } from './index.ts';

test('undefined optional fields count as absent, at every level', () => {
  const body: OrderUpdate = {
    order_id: undefined,
    cart: { items: [{ type: undefined, quantity: 1 }] },
    hooks: { terms_url: undefined },
    shipping_address: { street: undefined },
  };
  expect(OrderUpdate.parse(body)).toStrictEqual({
    cart: { items: [{ quantity: 1 }] },
    hooks: {},
    shipping_address: {},
  });
  expect(problemsOf(OrderUpdate, { cart: undefined })).toEqual([
    ['cart', 'required', 'Add cart: { items: [] }.'],
  ]);
});

test('gives a copy: a later change of the input changes nothing that was checked', () => {
  const body = structuredClone(documentedExample);
  const parsed = OrderUpdate.parse(body);
  body.cart.items.length = 0;
  body.shipping_address.city = 'Bergen';
  expect(parsed).toStrictEqual(documentedExample);
});

test('keeps negative zero and lone surrogates to the value', () => {
  const parsed = OrderUpdate.parse({ cart: { items: [{ unit_price: -0, name: '\ud83d' }] } });
  expect(parsed.cart.items?.[0]).toStrictEqual({ unit_price: -0, name: '\ud83d' });
});

test('says once that a value cannot be sent, and nothing of the same place besides', () => {
  const nan = 'Send a finite number: look at what computes it.';
  expect(problemsOf(OrderUpdate, { cart: new Map() }).map(([path, code]) => [path, code])).toEqual([
    ['cart', 'not_json'],
  ]);
  expect(problemsOf(OrderUpdate, NaN)).toEqual([['', 'not_json', nan]]);
  expect(
    problemsOf(OrderUpdate, { cart: { items: [NaN, { quantity: NaN, unit_price: '1' }] }, order_id: 5 }),
  ).toEqual([
    ['cart.items[0]', 'not_json', nan],
    ['cart.items[1].quantity', 'not_json', nan],
    ['order_id', 'wrong_type', 'Write "5", in quotes.'],
    ['cart.items[1].unit_price', 'wrong_type', 'Write 1, without quotes.'],
  ]);
});

test('tells tens of thousands of issues without throwing', { timeout: 10_000 }, () => {
  const items = Array.from({ length: 20_000 }, () => ({ quantity: '2' }));
  expect(OrderUpdate.safeParse({ cart: { items } }).error?.issues).toHaveLength(20_000);
});

test('is typed as the interface document says, closed and without an index signature', () => {
  expectTypeOf<z.infer<typeof OrderUpdate>>().toEqualTypeOf<OrderUpdate>();
  expectTypeOf<z.input<typeof OrderUpdate>>().toEqualTypeOf<OrderUpdate>();
  expectTypeOf<OrderUpdate>().toEqualTypeOf<{
    order_id?: string | undefined;
    purchase_currency?: string | undefined;
    cart: Cart;
    require_shipping?: boolean | undefined;
    express_shipping?: boolean | undefined;
    shipping_address?: object | undefined;
    hooks?: Hooks | undefined;
    user_session_id?: string | undefined;
    user_identifier?: string | undefined;
  }>();
});

test('the documented example compiles, and so does an object with unknown fields that is no literal', () => {
  const known: OrderUpdate = documentedExample;
  const more = { ...documentedExample, merchant_order_id: 'm' };
  const widened: OrderUpdate = more;
  expect(OrderUpdate.parse(known)).toStrictEqual(documentedExample);
  expect(OrderUpdate.parse(widened)).toStrictEqual(more);
});

test('misspelled and misplaced literals do not compile, nested ones too', () => {
  const literals: OrderUpdate[] = [
    // @ts-expect-error: order_id
    { cart: {}, orderId: 'a' },
    // @ts-expect-error: shipping_address
    { cart: {}, shipping_adress: {} },
    // @ts-expect-error: hooks.webhook_url
    { cart: {}, webhook_url: 'https://shop.example' },
    // @ts-expect-error: not set here
    { cart: {}, billing_address: {} },
    // @ts-expect-error: unit_price
    { cart: { items: [{ unitPrice: 1 }] } },
    // @ts-expect-error: terms_url
    { cart: {}, hooks: { termsUrl: 'https://shop.example' } },
    // @ts-expect-error: cart is required
    {},
  ];
  expect(literals.map((body) => OrderUpdate.safeParse(body).success)).not.toContain(true);
});
