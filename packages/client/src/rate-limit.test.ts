import { basic } from '@orders/auth';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EndAttempt, RateLimit, type RateLimitOptions } from './rate-limit.ts';

const patient = Number.POSITIVE_INFINITY;
const key = basic('swordfish');
const hour = 3_600_000;
const create = (options?: RateLimitOptions): RateLimit => new RateLimit(options, hour);

test('without a limit nothing waits', () => {
  const limit = create();
  expect([1, 2, 3].map(() => limit.reserve(key, patient, 0))).toEqual([0, 0, 0]);
});

test('spaces attempts evenly after a burst', () => {
  const limit = create({ requestsPerSecond: 10, burst: 3 });
  expect([1, 2, 3, 4, 5].map(() => limit.reserve(key, patient, 1_000))).toEqual([0, 0, 0, 100, 200]);
});

test('never lets more through than rate and burst allow, whatever comes when', () => {
  const arrivals = fc.array(fc.nat({ max: 400 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 5 }), (gaps, burst) => {
      const limit = create({ requestsPerSecond: 10, burst });
      let now = 0;
      const leaves = gaps.map((gap) => {
        now += gap;
        return now + limit.reserve(key, patient, now);
      });
      for (const start of leaves) {
        const inOneSecond = leaves.filter((at) => at >= start && at < start + 1_000 - 0.001).length;
        expect(inOneSecond).toBeLessThanOrEqual(10 + burst);
      }
    }),
  );
});

test('an attempt that cannot wait takes no slot from one that can', () => {
  const limit = create({ requestsPerSecond: 1 });
  expect(limit.reserve(key, patient, 0)).toBe(0);
  expect(limit.reserve(key, 500, 0)).toBe(1_000);
  expect(limit.reserve(key, patient, 0)).toBe(1_000);
});

test('a pause holds every attempt with the key back, and a shorter one does not cut it', () => {
  const limit = create();
  limit.pause(key, 5_000, 0);
  limit.pause(key, 1_000, 0);
  expect(limit.reserve(key, patient, 1_000)).toBe(4_000);
  expect(limit.pausedMs(key, 1_000)).toBe(4_000);
  expect(limit.pausedMs(key, 6_000)).toBe(0);
  expect(limit.reserve(key, patient, 6_000)).toBe(0);
});

test('after a pause attempts ask for a slot again, so they leave at the rate, and not all at once', () => {
  const limit = create({ requestsPerSecond: 10 });
  limit.pause(key, 1_000, 0);
  expect([1, 2, 3].map(() => limit.reserve(key, patient, 0))).toEqual([1_000, 1_000, 1_000]);
  expect([1, 2, 3].map(() => limit.reserve(key, patient, 1_000))).toEqual([0, 100, 200]);
});

test.each([{ requestsPerSecond: 0 }, { requestsPerSecond: Number.NaN }, { requestsPerSecond: 1, burst: 0 }])(
  'refuses %j',
  (options) => {
    expect(() => create(options)).toThrow(TypeError);
  },
);

test('a pause belongs to the key, whichever secret holds it', () => {
  const limit = create();
  limit.pause(basic('swordfish'), 5_000, 0);
  expect(limit.pausedMs(basic('swordfish'), 0)).toBe(5_000);
  expect(limit.pausedMs(basic('other key'), 0)).toBe(0);
  expect(limit.start(basic('other key'), 0)).toBeDefined();
  const rotating = () => key;
  expect(limit.pausedMs(rotating, 0)).toBe(0);
  limit.pause(rotating, 7_000, 0);
  expect(limit.pausedMs(rotating, 0)).toBe(7_000);
});

test('a pause that was asked for in full ends for everyone at once', () => {
  const limit = create();
  limit.pause(key, hour, 0);
  expect(limit.start(key, hour - 1)).toBeUndefined();
  expect([limit.start(key, hour), limit.start(key, hour)]).not.toContain(undefined);
});

test('after the longest pause one attempt goes first, and a response other than 429 lets the others follow', () => {
  const limit = create();
  limit.pause(key, 30 * 24 * hour, 0);
  expect(limit.pausedMs(key, 0)).toBe(hour);
  expect(limit.start(key, hour - 1)).toBeUndefined();
  const endProbe = limit.start(key, hour) as EndAttempt;
  expect(limit.start(key, hour)).toBeUndefined();
  expect(limit.pausedMs(key, hour)).toBe(Number.POSITIVE_INFINITY);
  let woken = 0;
  limit.onChange(() => woken++);
  endProbe(true);
  expect(woken).toBe(1);
  expect([limit.start(key, hour), limit.start(key, hour)]).not.toContain(undefined);
});

test('another 429 for the first attempt after the longest pause begins the next one', () => {
  const limit = create();
  limit.pause(key, 2 * hour, 0);
  const endProbe = limit.start(key, hour) as EndAttempt;
  limit.pause(key, 2 * hour, hour);
  endProbe(true);
  expect(limit.pausedMs(key, hour)).toBe(hour);
  expect(limit.start(key, 2 * hour - 1)).toBeUndefined();
  expect(limit.start(key, 2 * hour)).toBeDefined();
});

test('another 429 for the first attempt counts, however short its pause, and wakes what waits', () => {
  const limit = create();
  limit.pause(key, 2 * hour, 0);
  const endProbe = limit.start(key, hour) as EndAttempt;
  limit.pause(key, 2_000, hour);
  let woken = 0;
  limit.onChange(() => woken++);
  endProbe(true);
  expect([limit.pausedMs(key, hour), woken]).toEqual([2_000, 1]);
});

test('the pause of one key takes no slot from another', () => {
  const limit = create();
  limit.pause(key, 5_000, 0);
  limit.reserve(key, patient, 0);
  expect(limit.reserve(basic('other key'), patient, 0)).toBe(0);
});

test('a first attempt that gets no response proves nothing, and the next one goes first', () => {
  const limit = create();
  limit.pause(key, 2 * hour, 0);
  (limit.start(key, hour) as EndAttempt)(false);
  expect(limit.start(key, hour)).toBeDefined();
  expect(limit.start(key, hour)).toBeUndefined();
});

test('resume lifts every pause, gives out slots anew, and wakes what waits', () => {
  const limit = create({ requestsPerSecond: 1 });
  const other = basic('other key');
  limit.pause(key, hour, 0);
  limit.pause(other, 0, 2 * hour);
  limit.reserve(key, patient, 0);
  let woken = 0;
  limit.onChange(() => woken++);
  limit.onChange(() => woken++)();
  limit.start(other, hour);
  limit.resume();
  expect(woken).toBe(1);
  expect([limit.pausedMs(key, 0), limit.pausedMs(other, 0)]).toEqual([0, 0]);
  expect(limit.reserve(key, patient, hour)).toBe(0);
});
