import { OrderUpdate } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { withinTheTest } from '../../../../.ci/within-the-test.ts';
import { hostileBodies } from './hostile-bodies.ts';

test.each([
  ['OrderUpdate', OrderUpdate],
  ['a compiled OrderUpdate', compileOrderUpdate<OrderUpdate>(OrderUpdate)],
])('%s neither throws nor takes more than linear time', (_, schema) => {
  const faulty = { cart: { items: Array(50_000).fill(0) } };
  fc.assert(
    fc.property(hostileBodies(), (body) => {
      const { success, error } = withinTheTest(() => schema.safeParse(body));
      expect(success || (error?.issues.length ?? 0) > 0).toBe(true);
    }),
    // Few of 60 bodies are large. Shrinking what takes long takes minutes.
    { numRuns: inFull ? 800 : 60, endOnFailure: true, examples: [[faulty]] },
  );
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});
