import { explain } from '@orders/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldOf, nameWithin } from './field-of.ts';
import { parsePath } from './parse-path.ts';

test('reads every path that is told of an issue', () => {
  const step = fc.oneof(
    fc.nat(),
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('cart', 'a b', 'a"]', '["'),
  );
  fc.assert(
    fc.property(fc.array(step), (path) => {
      const [told] = explain({ issues: [{ message: 'x', path }] });
      expect(parsePath(told?.path ?? '')).toEqual(path);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['cart.items[12].unit_price', 'cart.items.12.unit_price'],
  ['cart.items[0].type', 'cart.items.0.kind'],
  ['cart.items[0].kind', 'cart.items.0.carried'],
  ['cart.items[0].sku.deep', 'cart.items.0.sku'],
  ['cart.items[4]', 'cart.items.4.carried'],
  ['cart.items', 'cart.carried'],
  ['cart', 'cart.carried'],
  ['hooks.webhook_url', 'hooks.webhook_url'],
  ['hooks["own url"]', 'hooks.carried'],
  ['hooks', 'hooks.carried'],
  ['shipping_address.city', 'shipping_address'],
  ['total_amount', 'total_amount'],
  ['scanned', 'carried'],
  ['shipping_adress', 'carried'],
  ['', undefined],
])('finds the field of %j', (path, field) => {
  expect(fieldOf(path)).toBe(field);
});

test.each([
  ['cart.items[3].Sku', 'Sku'],
  ['cart.items[3]', 'line'],
  ['hooks["own url"]', '["own url"]'],
  ['hooks', 'hooks'],
  ['cart', 'cart'],
  ['webhook_url', 'webhook_url'],
  ['cart.items[3].sku', undefined],
])('names what is meant within %j', (path, name) => {
  expect(nameWithin(path)).toBe(name);
});
