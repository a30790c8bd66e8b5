import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withBoundaries } from './with-boundaries.ts';

const ages = withBoundaries(fc.integer({ min: 0, max: 1_000_000 }), fc.constantFrom(0, 1_000_000));

test('yields a boundary about once in four, and other values between', () => {
  const all = fc.sample(ages, { numRuns: 1_000, seed: 1 });
  const edges = all.filter((age) => age === 1_000_000).length;
  expect(edges).toBeGreaterThan(80);
  expect(edges).toBeLessThan(250);
  expect(new Set(all).size).toBeGreaterThan(300);
});

test('shrinks a boundary as any other value', () => {
  const atTheEdge = { seed: 1, numRuns: 1_000, examples: [[1_000_000]] as [number][] };
  const result = fc.check(
    fc.property(ages, (age) => age <= 17),
    atTheEdge,
  );
  expect(result.counterexample).toEqual([18]);
});

test('keeps a boundary that the base would not yield', () => {
  const odd = withBoundaries<number | string>(fc.nat(), fc.constant('none'));
  const result = fc.check(
    fc.property(odd, (value) => value !== 'none'),
    { seed: 1 },
  );
  expect(result.counterexample).toEqual(['none']);
});
