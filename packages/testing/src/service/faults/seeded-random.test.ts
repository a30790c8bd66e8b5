import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSeededRandom } from './seeded-random.ts';

const take = (seed: number, count: number) => {
  const random = createSeededRandom(seed);
  return Array.from({ length: count }, random);
};

test('gives the same numbers for the same seed, on every machine', () => {
  expect(take(1, 3).map((value) => Math.floor(value * 2 ** 32))).toEqual([
    2_693_262_067, 11_749_833, 2_265_367_787,
  ]);
});

test('gives numbers from 0 to below 1, and others for another seed', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 32 - 2), (seed) => {
      const values = take(seed, 20);
      expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
      expect(take(seed + 1, 20)).not.toEqual(values);
    }),
  );
});

test('spreads its numbers evenly', () => {
  const tenths = Array<number>(10).fill(0);
  for (const value of take(7, 10_000))
    tenths[Math.floor(value * 10)] = (tenths[Math.floor(value * 10)] ?? 0) + 1;
  for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});
