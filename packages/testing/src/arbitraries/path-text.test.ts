import { explain, OrderUpdate } from '@orders/schema';
import { expect, test } from 'vitest';
import { pathText } from './path-text.ts';

test.each([
  ['', []],
  ['cart', ['cart']],
  ['cart.items[3].unit_price', ['cart', 'items', 3, 'unit_price']],
  ['note["a b"].größe[0]', ['note', 'a b', 'größe', 0]],
  ['[""]["0"].x-1', ['', '0', 'x-1']],
  ['["-"]["\\""]', ['-', '"']],
] as const)('writes %s as explain does', (text, path) => {
  expect(pathText(path)).toBe(text);
  const issue = { message: '', path: [...path] };
  expect(explain({ issues: [issue] })[0]?.path).toBe(text);
});

test('writes a path of a real refusal as explain does', () => {
  const { error } = OrderUpdate.safeParse({ cart: { items: [{}, { sku: 1 }] } });
  expect(explain(error ?? { issues: [] })[0]?.path).toBe(pathText(['cart', 'items', 1, 'sku']));
});
