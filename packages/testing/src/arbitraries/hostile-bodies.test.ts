import { inspect } from 'node:util';
import { OrderUpdate } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../test/in-full.ts';
import { hostileBodies, hostileBodiesByKind } from './hostile-bodies.ts';
import { DANGEROUS_NAMES, type HostileKind, hostileValues } from './hostile-values.ts';

/** Made once, since many tests look at them. */
const hostile = fc.sample(hostileBodiesByKind(), { numRuns: 2_000, seed: 1 });

test.each([
  ['OrderUpdate', OrderUpdate],
  ['a compiled OrderUpdate', compileOrderUpdate<OrderUpdate>(OrderUpdate)],
])('%s neither throws nor takes a second', (_, schema) => {
  fc.assert(
    fc.property(hostileBodies(), (body) => {
      const start = process.cpuUsage();
      const { success, error } = schema.safeParse(body);
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1_000).toBeLessThan(1_000);
      expect(success || (error?.issues.length ?? 0) > 0).toBe(true);
    }),
    { numRuns: inFull ? 400 : 150 },
  );
});

test('every kind occurs in every place, but for a revoked proxy as the body itself', () => {
  const kinds = Object.keys(hostileValues()) as HostileKind[];
  const places = ['box', 'order', 'cart', 'items', 'item', 'hooks'];
  const seen = new Set(hostile.map(({ kind, place }) => `${kind} in ${place}`));
  const missing = kinds
    .flatMap((kind) => places.map((place) => `${kind} in ${place}`))
    .filter((pair) => !seen.has(pair));
  expect(missing).toEqual(['revoked_proxy in box']);
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

test('every one can be printed, in less than a page where it is an object', () => {
  for (const { kind, body } of hostile) {
    const printed = fc.stringify(body);
    const isObject = typeof body === 'object' && body !== null && kind !== 'anything';
    expect([kind, !isObject || printed.length < 5_000]).toEqual([kind, true]);
  }
});

test('a failure with a hostile body is told, and shrunk', () => {
  const failing = fc.property(hostileBodies(), (body) => !OrderUpdate.safeParse(body).error);
  expect(() => fc.assert(failing, { seed: 3 })).toThrow(/Property failed[\s\S]*Counterexample: /);
  const withItems = fc.property(
    hostileBodiesByKind(),
    ({ kind, place }) => kind !== 'deep_lists' || place !== 'hooks',
  );
  const { counterexample } = fc.check(withItems, { seed: 3, numRuns: 5_000 });
  expect(Object.keys(counterexample?.[0].body ?? {})).toEqual(['cart', 'hooks']);
});

test('bodies are fresh each time, and the same for a seed', () => {
  const print = (seed: number) =>
    fc
      .sample(hostileBodies(), { numRuns: 200, seed })
      .map((body) => inspect(body, { depth: 3, showProxy: true }));
  const [first] = fc.sample(hostileBodies(), { numRuns: 1, seed: 7 });
  const [again] = fc.sample(hostileBodies(), { numRuns: 1, seed: 7 });
  expect(print(7)).toEqual(print(7));
  expect(print(7)).not.toEqual(print(8));
  expect(typeof first !== 'object' || first !== again).toBe(true);
});
