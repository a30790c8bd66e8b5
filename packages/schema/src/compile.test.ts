import fc from 'fast-check';
import { expect, test } from 'vitest';
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
