import { OrderUpdate } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { DANGEROUS_NAMES, hostileBodies, hostileBodiesByKind } from './hostile-bodies.ts';

const hostile = fc.sample(hostileBodiesByKind(), { numRuns: 4_000, seed: 1 });

/** The processor time that something takes. */
function cpuMs(run: () => void): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

test.each([
  ['OrderUpdate', OrderUpdate],
  ['a compiled OrderUpdate', compileOrderUpdate<OrderUpdate>(OrderUpdate)],
])('%s neither throws nor takes a second', (_, schema) => {
  fc.assert(
    fc.property(hostileBodies(), (body) => {
      const parse = () => schema.safeParse(body);
      const isQuick = () => cpuMs(parse) < 1_000;
      // In a process of many tests one of them may pay for the garbage of all.
      expect(isQuick() || isQuick() || isQuick()).toBe(true);
      const { success, error } = parse();
      expect(success || (error?.issues.length ?? 0) > 0).toBe(true);
    }),
    // Shrinking what takes a second takes minutes.
    { numRuns: inFull ? 800 : 300, endOnFailure: true },
  );
});

test('every kind occurs in every place, but for those that are nested only', () => {
  const kinds = [...new Set(hostile.map(({ kind }) => kind))];
  const seen = new Set(hostile.map(({ kind, place }) => `${kind} in ${place}`));
  const missing = kinds
    .flatMap((kind) =>
      ['box', 'order', 'cart', 'items', 'item', 'hooks'].map((place) => `${kind} in ${place}`),
    )
    .filter((pair) => !seen.has(pair));
  expect(missing.sort()).toEqual(['cycle in box', 'revoked_proxy in box', 'throwing_getter in box']);
  expect(kinds.length).toBe(32);
});

test('some are valid updates all the same, and most are not', () => {
  const valid = hostile.slice(0, 500).filter(({ body }) => OrderUpdate.safeParse(body).success).length;
  expect(valid).toBeGreaterThan(25);
  expect(valid).toBeLessThan(250);
});

test('dangerous names occur as own fields of updates', () => {
  const names = new Set(
    hostile.flatMap(({ place, body }) => (place === 'order' ? Object.getOwnPropertyNames(body) : [])),
  );
  for (const name of DANGEROUS_NAMES) expect([name, names.has(name)]).toEqual([name, true]);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test('fast-check prints every one, in less than a page where it is an object', () => {
  for (const { kind, body } of hostile) {
    const printed = fc.stringify(body);
    const isObject = typeof body === 'object' && body !== null && kind !== 'anything';
    expect([kind, !isObject || printed.length < 5_000]).toEqual([kind, true]);
  }
});

test('fast-check reports and shrinks a failure with a hostile body', () => {
  const failing = fc.property(hostileBodies(), (body) => !OrderUpdate.safeParse(body).error);
  expect(() => fc.assert(failing, { seed: 3 })).toThrow(/Property failed[\s\S]*Counterexample: /);
  const deepHooks = fc.property(
    hostileBodiesByKind(),
    ({ kind, place }) => kind !== 'deep_lists' || place !== 'hooks',
  );
  const { counterexample } = fc.check(deepHooks, { seed: 3, numRuns: 5_000 });
  expect(Object.keys(counterexample?.[0].body ?? {})).toEqual(['cart', 'hooks']);
});
