import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validBodies } from '../test/bodies.ts';
import { toPlainJson } from './plain-json.ts';
import { quickCopy } from './quick-copy.ts';

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
});

test('copies what the careful copy copies, or gives up', () => {
  fc.assert(
    fc.property(anything, (input) => {
      const quick = quickCopy(input);
      if (quick === undefined) return;
      const careful = toPlainJson(input);
      expect(careful.problems).toEqual([]);
      expect(JSON.stringify(quick)).toBe(JSON.stringify(careful.value));
    }),
    { numRuns: 3_000 },
  );
});

test('copies any JSON object', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (json) => {
      if (typeof json !== 'object' || json === null || JSON.stringify(json).includes('__proto__')) return;
      const quick = quickCopy(json);
      expect(JSON.stringify(quick)).toBe(JSON.stringify(json));
      expect(quick).not.toBe(json);
    }),
  );
});

test('shares nothing with its input', () => {
  const body = { cart: { items: [{ sku: 'a' }] } };
  const copied = quickCopy(body) as typeof body;
  body.cart.items[0] = { sku: 'b' };
  expect(copied).toEqual({ cart: { items: [{ sku: 'a' }] } });
});

test('copies the bodies that pass', () => {
  const copied = validBodies.filter(({ body }) => quickCopy(body) !== undefined);
  expect(copied.length).toBeGreaterThan(validBodies.length / 2);
});

test('gives up on a cycle, on depth and on size, and takes nothing from Object.prototype', () => {
  const cycle: Record<string, unknown> = { a: 1 };
  cycle['self'] = [cycle, cycle];
  expect(quickCopy(cycle)).toBeUndefined();
  expect(quickCopy({ list: Array(60_000).fill(1) })).toBeUndefined();
  const planted = { configurable: true, enumerable: true, writable: true, value: {} };
  Object.defineProperty(Object.prototype, 'planted', planted);
  const copied = quickCopy({ a: 1 });
  Reflect.deleteProperty(Object.prototype, 'planted');
  expect(copied).toBeUndefined();
});
