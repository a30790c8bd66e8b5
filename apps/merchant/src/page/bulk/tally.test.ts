import { expect, test } from 'vitest';
import { stageOf, tallyOf } from './tally.ts';

test('counts rows as settled once they are neither bad, waiting nor on their way', () => {
  const counts = { bad: 1, waiting: 4, sending: 2, applied: 8, unknown: 3, not_sent: 1, discarded: 1 };
  expect(tallyOf({ counts, rows: 20 })).toEqual({
    sendable: 19,
    settled: 13,
    waiting: 4,
    sending: 2,
    bad: 1,
    notSent: 1,
    unknown: 3,
    percent: 68,
  });
});

test('tells 100 % only when every row is settled', () => {
  expect(tallyOf({ counts: { waiting: 1, applied: 9_999 }, rows: 10_000 }).percent).toBe(99);
  expect(tallyOf({ counts: { bad: 2, applied: 8 }, rows: 10 }).percent).toBe(100);
  expect(tallyOf({ counts: { bad: 2 }, rows: 2 }).percent).toBe(0);
});

test('a bulk pauses as long as something is on its way', () => {
  const bulk = { id: 'x', name: 'x', createdAt: '', rows: 3, state: 'paused' } as const;
  expect(stageOf({ ...bulk, counts: { sending: 1, waiting: 2 } })).toBe('pausing');
  expect(stageOf({ ...bulk, counts: { waiting: 3 } })).toBe('paused');
});
