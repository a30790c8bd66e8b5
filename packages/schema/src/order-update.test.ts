import { expect, expectTypeOf, test } from 'vitest';
import type * as z from 'zod/mini';
import { withinTheTest } from '../../../.ci/within-the-test.ts';
import { documentedExample } from '../test/bodies.ts';
import { problemsOf } from '../test/problems.ts';
import { compileOrderUpdate } from './compile.ts';
import { Cart, CartItem, type CartItemType, Hooks, OrderUpdate } from './index.ts';

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
    ['cart', 'required', 'Add cart, with every line of the order.'],
  ]);
});

test.each([
  ['OrderUpdate', OrderUpdate],
  ['a compiled OrderUpdate', compileOrderUpdate(OrderUpdate)],
])('%s returns a copy: a later change of the input changes nothing that was checked', (_name, schema) => {
  const body = structuredClone(documentedExample);
  const parsed = schema.parse(body);
  body.cart.items.length = 0;
  body.shipping_address.city = 'Bergen';
  expect(parsed).toStrictEqual(documentedExample);
});

test('reports once that a value cannot be sent, and no other issue of the same field', () => {
  const nan = 'Send a finite number: look at what computes it.';
  expect(problemsOf(OrderUpdate, { cart: new Map() }).map(([path, code]) => [path, code])).toEqual([
    ['cart', 'not_serializable'],
  ]);
  expect(problemsOf(OrderUpdate, NaN)).toEqual([['', 'not_serializable', nan]]);
  expect(
    problemsOf(OrderUpdate, { cart: { items: [NaN, { quantity: NaN, unit_price: '1' }] }, order_id: 5 }),
  ).toEqual([
    ['cart.items[0]', 'not_serializable', nan],
    ['cart.items[1].quantity', 'not_serializable', nan],
    ['order_id', 'invalid_type', 'Write "5", in quotes.'],
    ['cart.items[1].unit_price', 'invalid_type', 'Write 1, without quotes.'],
  ]);
});

test('has the types of the API reference, closed and without an index signature', () => {
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
  expectTypeOf<z.infer<typeof Hooks>>().toEqualTypeOf<Hooks>();
  expectTypeOf<Hooks>().toEqualTypeOf<{
    user_return_url_on_success?: string | undefined;
    user_return_url_on_fail?: string | undefined;
    terms_url?: string | undefined;
    webhook_url?: string | undefined;
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
    // @ts-expect-error: not supported
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

test('a cart and its lines are checked by themselves', () => {
  const item = { type: 'fee', quantity: -1, colour: 'red' };
  expect(CartItem.parse(item)).toStrictEqual(item);
  expect(Cart.parse({ items: [item], note: 1 })).toStrictEqual({ items: [item], note: 1 });
  expect(problemsOf(CartItem, { quantity: '2' })).toEqual([
    ['quantity', 'invalid_type', 'Write 2, without quotes.'],
  ]);
  expect(problemsOf(Cart, { items: [{ sku: 1 }] })).toEqual([
    ['items[0].sku', 'invalid_type', 'Write "1", in quotes.'],
  ]);
});

test('a line is typed: documented item types are suggested, and any string compiles', () => {
  expectTypeOf<z.infer<typeof CartItem>>().toEqualTypeOf<CartItem>();
  expectTypeOf<CartItem>().toEqualTypeOf<{
    type?: CartItemType | undefined;
    sku?: string | undefined;
    name?: string | undefined;
    quantity?: number | undefined;
    unit_price?: number | undefined;
    discount_rate?: number | undefined;
    vat_amount?: number | undefined;
  }>();
  expectTypeOf<Cart>().toEqualTypeOf<{ items?: CartItem[] | undefined }>();
  expectTypeOf<'physical' | 'shipping_fee' | 'fee'>().toExtend<CartItemType>();
  // @ts-expect-error: an item type is a string
  const item: CartItem = { type: 5 };
  expect(problemsOf(CartItem, item)).toEqual([['type', 'invalid_type', 'Write "5", in quotes.']]);
});

test('checks hooks by themselves, and keeps unknown fields', () => {
  const hooks = { webhook_url: 'https://shop.example/{order}', cancel_url: '/any' };
  expect(Hooks.parse(hooks)).toStrictEqual(hooks);
  expect(Hooks.parse({})).toStrictEqual({});
});

test('no case of javascript: and data: is a return URL', () => {
  for (const scheme of ['javascript:', 'data:']) {
    for (let at = 0; at < scheme.length; at++) {
      const url = `${scheme.slice(0, at)}${scheme.slice(at).toUpperCase()}x`;
      expect(Hooks.safeParse({ user_return_url_on_success: url }).success).toBe(false);
    }
  }
});

test.each([
  ['letters alone', 'a'.repeat(1e6)],
  ['a space at its end', `https://${'a'.repeat(1e6)} `],
  ['a scheme without end', `${'a+'.repeat(5e5)}:`],
])('a long URL is checked in linear time: %s', (_, url) => {
  const hooks = { terms_url: url, user_return_url_on_fail: url };
  expect(withinTheTest(() => Hooks.safeParse(hooks).success)).toBe(false);
});
