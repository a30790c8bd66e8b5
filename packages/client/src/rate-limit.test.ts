import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimit } from './rate-limit.ts';

const patient = Number.POSITIVE_INFINITY;

test('without a limit nothing waits', () => {
  const limit = new RateLimit(undefined);
  expect([1, 2, 3].map(() => limit.reserve(0, patient))).toEqual([0, 0, 0]);
});

test('spaces attempts evenly after a burst', () => {
  const limit = new RateLimit({ requestsPerSecond: 10, burst: 3 });
  expect([1, 2, 3, 4, 5].map(() => limit.reserve(1_000, patient))).toEqual([0, 0, 0, 100, 200]);
});

test('never lets more through than rate and burst allow, whatever comes when', () => {
  const arrivals = fc.array(fc.nat({ max: 400 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 5 }), (gaps, burst) => {
      const limit = new RateLimit({ requestsPerSecond: 10, burst });
      let now = 0;
      const leaves = gaps.map((gap) => {
        now += gap;
        return now + limit.reserve(now, patient);
      });
      for (const start of leaves) {
        const inOneSecond = leaves.filter((at) => at >= start && at < start + 1_000 - 0.001).length;
        expect(inOneSecond).toBeLessThanOrEqual(10 + burst);
      }
    }),
  );
});

test('who cannot wait takes no place from those who can', () => {
  const limit = new RateLimit({ requestsPerSecond: 1 });
  expect(limit.reserve(0, patient)).toBe(0);
  expect(limit.reserve(0, 500)).toBe(1_000);
  expect(limit.reserve(0, patient)).toBe(1_000);
});

test('a pause holds everybody back, and a shorter one does not cut it', () => {
  const limit = new RateLimit(undefined);
  limit.pause(0, 5_000);
  limit.pause(0, 1_000);
  expect(limit.reserve(1_000, patient)).toBe(4_000);
  expect(limit.pausedMs(1_000)).toBe(4_000);
  expect(limit.pausedMs(6_000)).toBe(0);
  expect(limit.reserve(6_000, patient)).toBe(0);
});

test('after a pause attempts leave at the rate, not all at once', () => {
  const limit = new RateLimit({ requestsPerSecond: 10 });
  limit.pause(0, 1_000);
  expect([1, 2, 3].map(() => limit.reserve(0, patient))).toEqual([1_000, 1_100, 1_200]);
});

test.each([{ requestsPerSecond: 0 }, { requestsPerSecond: Number.NaN }, { requestsPerSecond: 1, burst: 0 }])(
  'refuses %j',
  (options) => {
    expect(() => new RateLimit(options)).toThrow(TypeError);
  },
);
