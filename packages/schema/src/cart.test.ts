import { expect, expectTypeOf, test } from 'vitest';
import type * as z from 'zod/mini';
import { problemsOf } from '../test/problems.ts';
import { Cart, CartItem, type CartItemType } from './index.ts';

test('a cart and its lines are checked by themselves', () => {
  const item = { type: 'fee', quantity: -1, colour: 'red' };
  expect(CartItem.parse(item)).toStrictEqual(item);
  expect(Cart.parse({ items: [item], note: 1 })).toStrictEqual({ items: [item], note: 1 });
  expect(problemsOf(CartItem, { quantity: '2' })).toEqual([
    ['quantity', 'wrong_type', 'Write 2, without quotes.'],
  ]);
  expect(problemsOf(Cart, { items: [{ sku: 1 }] })).toEqual([
    ['items[0].sku', 'wrong_type', 'Write "1", in quotes.'],
  ]);
});

test('undefined fields of a line count as absent', () => {
  expect(CartItem.parse({ sku: undefined, quantity: 1, unknown: undefined })).toStrictEqual({ quantity: 1 });
});

test('a line is typed: shown item types are suggested, and any string compiles', () => {
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
  expect(problemsOf(CartItem, item)).toEqual([['type', 'wrong_type', 'Write "5", in quotes.']]);
});

test('a misspelled literal does not compile', () => {
  // @ts-expect-error: unit_price
  const item: CartItem = { unitPrice: 1 };
  // @ts-expect-error: unit_price
  const cart: Cart = { items: [{ unitPrice: 1 }] };
  // @ts-expect-error: items
  const other: Cart = { Items: [] };
  expect([item, cart, other].map((value) => Cart.safeParse(value).success)).toEqual([true, false, false]);
});
