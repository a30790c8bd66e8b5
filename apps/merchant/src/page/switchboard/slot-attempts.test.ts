import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MeasuredAttempt } from '../../contract/switchboard-view.ts';
import { mergeAttempts, slotAttempts } from './slot-attempts.ts';

const now = Date.parse('2026-01-01T12:00:07Z');

function attempt(secondsAgo: number, more: Partial<MeasuredAttempt> = {}): MeasuredAttempt {
  const at = new Date(now - secondsAgo * 1000).toISOString();
  return { at, token: 'order-1', durationMs: 10, outcome: 'applied', ...more };
}

test('has thirty slots of ten seconds, of which the last holds the present', () => {
  const { from, to, slots } = slotAttempts([], now);
  expect([new Date(from).toISOString(), new Date(to).toISOString()]).toEqual([
    '2026-01-01T11:55:10.000Z',
    '2026-01-01T12:00:10.000Z',
  ]);
  expect(slots).toHaveLength(30);
  expect(slots[0]).toEqual({
    from,
    total: 0,
    medianMs: null,
    applied: 0,
    rejected: 0,
    not_sent: 0,
    unknown: 0,
  });
});

test('counts outcomes and finds the median of each slot', () => {
  const { slots, totals } = slotAttempts(
    [
      attempt(1, { durationMs: 30 }),
      attempt(6.9, { durationMs: 10, outcome: 'unknown' }),
      attempt(7, { durationMs: 20 }),
      attempt(7.1, { durationMs: 8, outcome: 'rejected', status: 429 }),
      attempt(17, { durationMs: 4 }),
    ],
    now,
  );
  expect(slots[29]).toMatchObject({ total: 3, applied: 2, unknown: 1, medianMs: 20 });
  expect(slots[28]).toMatchObject({ total: 2, applied: 1, rejected: 1, medianMs: 6 });
  expect(totals).toEqual({ applied: 3, rejected: 1, not_sent: 0, unknown: 1 });
});

test('loses no attempt of the last five minutes, and takes none that is older or of the future', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -30, max: 400 })), (ages) => {
      const { from, to, slots, points } = slotAttempts(
        ages.map((age) => attempt(age)),
        now,
      );
      const expected = ages.filter((age) => now - age * 1000 >= from && now - age * 1000 < to).length;
      expect(slots.reduce((sum, { total }) => sum + total, 0)).toBe(expected);
      expect(points).toHaveLength(expected);
    }),
  );
});

test('draws five hundred points at most, the newest', () => {
  const attempts = Array.from({ length: 600 }, (_, index) => attempt(index / 10));
  const { points, slots } = slotAttempts(attempts, now);
  expect(points).toHaveLength(500);
  expect(points.at(-1)?.at).toBe(now);
  expect(slots.reduce((sum, { total }) => sum + total, 0)).toBe(600);
});

test('takes an attempt that was both loaded and heard once', () => {
  const [one, two, three] = [attempt(3), attempt(2), attempt(1)];
  expect(mergeAttempts([one, two], [{ ...two }, three])).toEqual([one, two, three]);
});
