import { OrderUpdate } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { cpuMsSince } from '../../../../.ci/cpu-ms-since.ts';
import { inFull } from '../../../../.ci/in-full.ts';
import { DANGEROUS_NAMES, hostileBodies, hostileBodiesByKind } from './hostile-bodies.ts';

// What the tests ask of each: the bodies themselves would take 700 MB.
const hostile: { kind: string; place: string; isValid?: boolean; names: string[]; printed: number }[] = [];
const sampleSize = inFull ? 4_000 : 640;
const parsed = sampleSize / 8;
const remember = fc.property(hostileBodiesByKind(), ({ kind, place, body }) => {
  const { length } = fc.stringify(body);
  const isObject = typeof body === 'object' && body !== null && kind !== 'anything';
  hostile.push({
    kind,
    place,
    ...(hostile.length < parsed && { isValid: OrderUpdate.safeParse(body).success }),
    names: place === 'order' ? Object.getOwnPropertyNames(body) : [],
    printed: isObject ? length : 0,
  });
});
beforeAll(() => fc.assert(remember, { numRuns: sampleSize, seed: 1, endOnFailure: true }), 60_000);

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
});

const places = ['box', 'order', 'cart', 'items', 'item', 'hooks'];

test('every kind and every place occurs', () => {
  expect(new Set(hostile.map(({ kind }) => kind)).size).toBe(32);
  expect(new Set(hostile.map(({ place }) => place))).toEqual(new Set(places));
});

// A small sample has every kind and every place, but not every pair of them.
test.runIf(inFull)('every kind occurs in every place, but for those that are nested only', () => {
  const kinds = [...new Set(hostile.map(({ kind }) => kind))];
  const seen = new Set(hostile.map(({ kind, place }) => `${kind} in ${place}`));
  const missing = kinds
    .flatMap((kind) => places.map((place) => `${kind} in ${place}`))
    .filter((pair) => !seen.has(pair));
  expect(missing.sort()).toEqual(['cycle in box', 'revoked_proxy in box', 'throwing_getter in box']);
});

test('some are valid updates all the same, and most are not', () => {
  const valid = hostile.filter(({ isValid }) => isValid).length;
  expect(valid).toBeGreaterThan(parsed / 20);
  expect(valid).toBeLessThan(parsed / 2);
});

test('dangerous names occur as own fields of updates', () => {
  const names = new Set(hostile.flatMap((body) => body.names));
  for (const name of DANGEROUS_NAMES) expect([name, names.has(name)]).toEqual([name, true]);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test('fast-check prints every one, in less than a page where it is an object', () => {
  const longest = hostile.reduce((before, body) => (body.printed > before.printed ? body : before));
  expect([longest.kind, longest.printed < 5_000]).toEqual([longest.kind, true]);
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
