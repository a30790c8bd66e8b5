import { basic } from '@orders/auth';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RateLimitOptions } from './options.ts';
import { type EndAttempt, RateLimit } from './rate-limit.ts';

const patient = Number.POSITIVE_INFINITY;
const key = basic('swordfish');
const hour = 3_600_000;

/** A limit on a clock that a test sets. */
function create(options?: RateLimitOptions) {
  let now = 0;
  const limit = new RateLimit(options, hour, { now: () => now, setTimer: () => () => {} });
  return {
    onChange: (run: () => void) => limit.onChange(run),
    resume: () => limit.resume(),
    at(ms: number): RateLimit {
      now = ms;
      return limit;
    },
  };
}

test('without a limit nothing waits', () => {
  const limit = create();
  expect([1, 2, 3].map(() => limit.at(0).reserveSlot(key, patient))).toEqual([0, 0, 0]);
});

test('spaces attempts evenly after a burst', () => {
  const limit = create({ requestsPerSecond: 10, burst: 3 });
  expect([1, 2, 3, 4, 5].map(() => limit.at(1_000).reserveSlot(key, patient))).toEqual([0, 0, 0, 100, 200]);
});

test('never lets more through than rate and burst allow, whatever comes when', () => {
  const arrivals = fc.array(fc.nat({ max: 400 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 5 }), (gaps, burst) => {
      const limit = create({ requestsPerSecond: 10, burst });
      let now = 0;
      const leaves = gaps.map((gap) => {
        now += gap;
        return now + limit.at(now).reserveSlot(key, patient);
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
  expect(limit.at(0).reserveSlot(key, patient)).toBe(0);
  expect(limit.at(0).reserveSlot(key, 500)).toBe(1_000);
  expect(limit.at(0).reserveSlot(key, patient)).toBe(1_000);
});

test('a pause holds every attempt with the key back, and a shorter one does not cut it', () => {
  const limit = create();
  limit.at(0).pause(key, 5_000);
  limit.at(0).pause(key, 1_000);
  expect(limit.at(1_000).reserveSlot(key, patient)).toBe(4_000);
  expect(limit.at(1_000).pausedMs(key)).toBe(4_000);
  expect(limit.at(6_000).pausedMs(key)).toBe(0);
  expect(limit.at(6_000).reserveSlot(key, patient)).toBe(0);
});

test('after a pause attempts ask for a slot again, so they leave at the rate, and not all at once', () => {
  const limit = create({ requestsPerSecond: 10 });
  limit.at(0).pause(key, 1_000);
  expect([1, 2, 3].map(() => limit.at(0).reserveSlot(key, patient))).toEqual([1_000, 1_000, 1_000]);
  expect([1, 2, 3].map(() => limit.at(1_000).reserveSlot(key, patient))).toEqual([0, 100, 200]);
});

test.each([{ requestsPerSecond: 0 }, { requestsPerSecond: Number.NaN }, { requestsPerSecond: 1, burst: 0 }])(
  'refuses %j',
  (options) => {
    expect(() => create(options)).toThrow(TypeError);
  },
);

test('a pause belongs to the key, whichever secret holds it', () => {
  const limit = create();
  limit.at(0).pause(basic('swordfish'), 5_000);
  expect(limit.at(0).pausedMs(basic('swordfish'))).toBe(5_000);
  expect(limit.at(0).pausedMs(basic('other key'))).toBe(0);
  expect(limit.at(0).start(basic('other key'))).toBeDefined();
  const rotating = () => key;
  expect(limit.at(0).pausedMs(rotating)).toBe(0);
  limit.at(0).pause(rotating, 7_000);
  expect(limit.at(0).pausedMs(rotating)).toBe(7_000);
});

test('a pause that was asked for in full ends for everyone at once', () => {
  const limit = create();
  limit.at(0).pause(key, hour);
  expect(limit.at(hour - 1).start(key)).toBeUndefined();
  expect([limit.at(hour).start(key), limit.at(hour).start(key)]).not.toContain(undefined);
});

test('after the longest pause one attempt goes first, and a response other than 429 lets the others follow', () => {
  const limit = create();
  limit.at(0).pause(key, 30 * 24 * hour);
  expect(limit.at(0).pausedMs(key)).toBe(hour);
  expect(limit.at(hour - 1).start(key)).toBeUndefined();
  const endProbe = limit.at(hour).start(key) as EndAttempt;
  expect(limit.at(hour).start(key)).toBeUndefined();
  expect(limit.at(hour).pausedMs(key)).toBe(Number.POSITIVE_INFINITY);
  let woken = 0;
  limit.onChange(() => woken++);
  endProbe(true);
  expect(woken).toBe(1);
  expect([limit.at(hour).start(key), limit.at(hour).start(key)]).not.toContain(undefined);
});

test('another 429 for the first attempt after the longest pause begins the next one', () => {
  const limit = create();
  limit.at(0).pause(key, 2 * hour);
  const endProbe = limit.at(hour).start(key) as EndAttempt;
  limit.at(hour).pause(key, 2 * hour);
  endProbe(true);
  expect(limit.at(hour).pausedMs(key)).toBe(hour);
  expect(limit.at(2 * hour - 1).start(key)).toBeUndefined();
  expect(limit.at(2 * hour).start(key)).toBeDefined();
});

test('another 429 for the first attempt counts, however short its pause, and wakes what waits', () => {
  const limit = create();
  limit.at(0).pause(key, 2 * hour);
  const endProbe = limit.at(hour).start(key) as EndAttempt;
  limit.at(hour).pause(key, 2_000);
  let woken = 0;
  limit.onChange(() => woken++);
  endProbe(true);
  expect([limit.at(hour).pausedMs(key), woken]).toEqual([2_000, 1]);
});

test('the pause of one key takes no slot from another', () => {
  const limit = create();
  limit.at(0).pause(key, 5_000);
  limit.at(0).reserveSlot(key, patient);
  expect(limit.at(0).reserveSlot(basic('other key'), patient)).toBe(0);
});

test('a first attempt that gets no response proves nothing, and the next one goes first', () => {
  const limit = create();
  limit.at(0).pause(key, 2 * hour);
  (limit.at(hour).start(key) as EndAttempt)(false);
  expect(limit.at(hour).start(key)).toBeDefined();
  expect(limit.at(hour).start(key)).toBeUndefined();
});

test('resume lifts every pause, gives out slots anew, and wakes what waits', () => {
  const limit = create({ requestsPerSecond: 1 });
  const other = basic('other key');
  limit.at(0).pause(key, hour);
  limit.at(2 * hour).pause(other, 0);
  limit.at(0).reserveSlot(key, patient);
  let woken = 0;
  limit.onChange(() => woken++);
  limit.onChange(() => woken++)();
  limit.at(hour).start(other);
  limit.resume();
  expect(woken).toBe(1);
  expect([limit.at(0).pausedMs(key), limit.at(0).pausedMs(other)]).toEqual([0, 0]);
  expect(limit.at(hour).reserveSlot(key, patient)).toBe(0);
});
