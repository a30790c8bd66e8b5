import { OrderUpdate } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuMsSince } from '../../../../.ci/cpu-ms-since.ts';
import { inFull } from '../../../../.ci/in-full.ts';
import { hostileBodies } from './hostile-bodies.ts';

test.each([
  ['OrderUpdate', OrderUpdate],
  ['a compiled OrderUpdate', compileOrderUpdate<OrderUpdate>(OrderUpdate)],
])('%s neither throws nor takes ten times as long as with 10,000 faulty lines', (_, schema) => {
  const items = Array.from({ length: 10_000 }, () => ({ quantity: '2' }));
  const faulty = { cart: { items } };
  const cpuMsOf = (body: unknown): number => {
    const start = process.cpuUsage();
    const { success, error } = schema.safeParse(body);
    expect(success || (error?.issues.length ?? 0) > 0).toBe(true);
    return cpuMsSince(start);
  };
  const faultyMs = Math.max(cpuMsOf(faulty), cpuMsOf(faulty));
  fc.assert(
    fc.property(hostileBodies(), (body) => {
      expect(cpuMsOf(body)).toBeLessThan(10 * faultyMs);
    }),
    // Shrinking what takes long takes minutes.
    { numRuns: inFull ? 800 : 60, endOnFailure: true },
  );
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});
