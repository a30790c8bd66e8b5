import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { definedBodies, definition, invalidBodies, validBodies } from '../test/bodies.ts';
import { problemsOf } from '../test/problems.ts';
import { compileOrderUpdate } from './compile.ts';
import { defineOrderUpdate } from './define-order-update.ts';
import { OrderUpdate } from './order-update.ts';

const Compiled = compileOrderUpdate(OrderUpdate);

test.each([
  ['OrderUpdate', Compiled, [...validBodies, ...invalidBodies]],
  ['a defined order update', compileOrderUpdate(defineOrderUpdate(definition)), definedBodies],
] as const)('compiled, %s gives the same values and finds the same problems', (_name, schema, cases) => {
  for (const { name, body, problems } of cases) {
    expect(problemsOf(schema, body), name).toEqual(problems);
    if (problems.length === 0) expect(JSON.stringify(schema.parse(body)), name).toBe(JSON.stringify(body));
  }
});

test('compiled or not, any body has the same problems', () => {
  const line = fc.record({ sku: fc.anything(), quantity: fc.anything() }, { requiredKeys: [] });
  const body = fc.record(
    { cart: fc.record({ items: fc.array(line) }), order_id: fc.anything() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(body, (given) => {
      expect(problemsOf(Compiled, given)).toEqual(problemsOf(OrderUpdate, given));
    }),
    { numRuns: inFull ? 300 : 80 },
  );
});

/** Lines that count how often their fields are read: once on the fast path, and once more when it is left. */
function countedLines(fields: (index: number) => object): { reads: () => number; body: OrderUpdate } {
  let reads = 0;
  const items = Array.from({ length: 1_000 }, (_, index) => {
    const line = { quantity: 1, ...fields(index) };
    return Object.defineProperty(line, 'sku', { enumerable: true, get: () => `SKU-${reads++}` });
  });
  return { reads: () => reads, body: { cart: { items } } };
}

test.each<[name: string, fields: (index: number) => object]>([
  ['an undefined field that is known', () => ({ name: undefined })],
  ['an undefined field that is unknown', () => ({ note: undefined })],
  ['only undefined fields but one', () => ({ name: undefined, type: undefined, unit_price: undefined })],
  ['undefined in an unknown object', () => ({ extra: { a: undefined, b: [{ c: undefined }] } })],
  ['an unknown field', () => ({ colour: 'red' })],
  ['an unknown field of its own', (index) => ({ [`colour_${index}`]: 'red' })],
  ['an unknown field that is nearly a known one', () => ({ unit_price_pair: 1 })],
  ['a misspelling beside the field meant', () => ({ unit_price: 1, unitPrice: 1 })],
  ['an unknown list', () => ({ tags: ['a', 'b'] })],
])('1,000 lines, each with %s, are read once', (_, fields) => {
  const { reads, body } = countedLines(fields);
  const { success, data } = compileOrderUpdate(OrderUpdate).safeParse(body);
  expect(success).toBe(true);
  expect(reads()).toBe(1_000);
  expect(JSON.stringify(data)).toBe(JSON.stringify(OrderUpdate.parse(JSON.parse(JSON.stringify(data)))));
  expect(JSON.stringify(data)).not.toContain('undefined');
});

test('an unknown name is compared with the known ones once, however many lines have it', () => {
  const { body } = countedLines(() => ({ colour: 'red', weight: 2 }));
  const compiled = compileOrderUpdate(OrderUpdate);
  const lowered = vi.spyOn(String.prototype, 'toLowerCase');
  try {
    expect(compiled.safeParse(body).success).toBe(true);
    expect(lowered.mock.calls.length).toBeLessThan(20);
  } finally {
    lowered.mockRestore();
  }
});
