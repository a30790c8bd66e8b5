import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { explanationsOf } from '../test/problems.ts';
import { type Explanation, explain, OrderUpdate } from './index.ts';

const pathOf = (...path: (PropertyKey | { readonly key: PropertyKey })[]): string | undefined =>
  explain({ issues: [{ message: 'x', path }] })[0]?.path;

test('writes a path as one would in code, and quotes the names that need it', () => {
  expect(pathOf()).toBe('');
  expect(pathOf('cart', 'items', 3, 'unit_price')).toBe('cart.items[3].unit_price');
  expect(pathOf('$a', '_b', 'é', 'x-y', 'a1')).toBe('$a._b.é.x-y.a1');
  expect(pathOf('a b', 'c.d', '', '1')).toBe('["a b"]["c.d"][""]["1"]');
  expect(pathOf('a"b', '\n', '[0]')).toBe('["a\\"b"]["\\n"]["[0]"]');
  expect(pathOf(0, 'a', Symbol('s'))).toBe('[0].a["Symbol(s)"]');
});

test('reads the path segments of every Standard Schema library', () => {
  expect(pathOf({ key: 'cart' }, { key: 'items' }, { key: 0 }, 'sku')).toBe('cart.items[0].sku');
  expect(explain({ issues: [{ message: 'x' }] })).toEqual([{ path: '', code: 'invalid', message: 'x' }]);
});

test('reports the code of a schema of another library, without a hint', () => {
  expect(explanationsOf(z.object({ a: z.string('A string, please') }), { a: 1 })).toEqual([
    { path: 'a', code: 'invalid_type', message: 'A string, please' },
  ]);
});

test('a check of your own gives its issue a code and a hint by params', () => {
  const hasLines = z.refine<OrderUpdate>(({ cart }) => (cart.items ?? []).length > 0, {
    error: 'The cart is empty',
    params: { code: 'empty_cart', hint: 'Add a line.' },
  });
  expect(explanationsOf(OrderUpdate.check(hasLines), { cart: {} })).toEqual([
    { path: '', code: 'empty_cart', message: 'The cart is empty', hint: 'Add a line.' },
  ]);
  const issue = { message: 'x', code: 'custom', params: { code: 404, hint: null } };
  expect(explain({ issues: [issue] })).toEqual([{ path: '', code: 'custom', message: 'x' }]);
});

test('an explanation has a hint or none, never an undefined one', () => {
  expectTypeOf<Explanation['hint']>().toEqualTypeOf<string | undefined>();
  // @ts-expect-error: absent is not undefined
  const broken: Explanation = { path: '', code: '', message: '', hint: undefined };
  expect(broken).toBeDefined();
});
