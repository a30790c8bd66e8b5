import fc from 'fast-check';
import { expect, test } from 'vitest';
import { definedBodies, definition, invalidBodies, validBodies } from '../test/bodies.ts';
import { problemsOf } from '../test/problems.ts';
import { compileOrderUpdate } from './compile.ts';
import { defineOrderUpdate } from './define-order-update.ts';
import { OrderUpdate } from './order-update.ts';

const Compiled = compileOrderUpdate(OrderUpdate);
const Defined = defineOrderUpdate(definition);

test('compiles to a schema of its own', () => {
  expect(Compiled).not.toBe(OrderUpdate);
});

test.each(validBodies)('compiled, it gives the same value: $name', ({ body }) => {
  expect(JSON.stringify(Compiled.parse(body))).toBe(JSON.stringify(body));
});

test.each(invalidBodies)('compiled, it finds the same problems: $name', ({ body, problems }) => {
  expect(problemsOf(Compiled, body)).toEqual(problems);
});

test.each(definedBodies)(
  'compiled, a defined order update finds the same problems: $name',
  ({ body, problems }) => {
    expect(problemsOf(compileOrderUpdate(Defined), body)).toEqual(problems);
  },
);

test('compiled or not, any body is told the same', () => {
  const line = fc.record({ sku: fc.anything(), quantity: fc.anything() }, { requiredKeys: [] });
  const body = fc.record(
    { cart: fc.record({ items: fc.array(line) }), order_id: fc.anything() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(body, (given) => {
      expect(problemsOf(Compiled, given)).toEqual(problemsOf(OrderUpdate, given));
    }),
    { numRuns: 300 },
  );
});
