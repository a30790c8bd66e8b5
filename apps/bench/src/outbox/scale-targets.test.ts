import { expect, test } from 'vitest';
import type { Drain } from './measure-drain.ts';
import { judgeScale } from './scale-targets.ts';

const drained = (perSecond: number, faults: Partial<Drain> = {}): Drain => ({
  perSecond,
  cpu: { workers: 1, server: 1 },
  lost: 0,
  repeated: 0,
  outOfOrder: 0,
  ...faults,
});
const none = { drain: [], depth: [], latency: [], rate: [] };

test('what was not measured is not judged', () => {
  expect(judgeScale(none)).toEqual([]);
});

test('one process must reach its speed on each engine, by the median of the rounds', () => {
  const drain = [
    { row: { name: 'ours-pglite', processes: 1 }, rounds: [drained(1_199)] },
    { row: { name: 'ours', processes: 1 }, rounds: [drained(1), drained(2_500), drained(9_000)] },
    { row: { name: 'ours', processes: 2 }, rounds: [drained(1)] },
    { row: { name: 'bullmq', processes: 1 }, rounds: [drained(1)] },
  ] as const;
  expect(judgeScale({ ...none, drain }).slice(1)).toMatchObject([
    { target: expect.stringContaining('PGlite'), unit: 'updates/s', bound: 1_200, holds: false },
    { target: expect.stringContaining('PostgreSQL'), unit: 'updates/s', figure: 2_500, holds: true },
  ]);
});

test('ours is held against each way to run graphile-worker with as many processes, but for the one that does less', () => {
  const drain = [
    { row: { name: 'ours', processes: 2 }, rounds: [drained(100), drained(300)] },
    { row: { name: 'graphile', processes: 2 }, rounds: [drained(200), drained(300)] },
    { row: { name: 'graphile-batched', processes: 2 }, rounds: [drained(200), drained(400)] },
    { row: { name: 'graphile-batched', processes: 4 }, rounds: [drained(900), drained(900)] },
    { row: { name: 'graphile-books', processes: 2 }, rounds: [drained(50), drained(50)] },
  ] as const;
  expect(judgeScale({ ...none, drain }).slice(1)).toMatchObject([
    { target: expect.stringContaining('the same work'), bound: 1.5, figure: 4, holds: true },
    { target: expect.stringContaining('defaults'), bound: 1, figure: 0.75, holds: false },
    { target: expect.stringContaining('keeps no outcomes'), bound: null, figure: 0.625, holds: null },
  ]);
});

test('a fault of ours does not hold, and one of others is theirs', () => {
  const drain = [
    { row: { name: 'ours', processes: 1 }, rounds: [drained(1), drained(1, { outOfOrder: 1 })] },
    { row: { name: 'bullmq', processes: 1 }, rounds: [drained(1, { outOfOrder: 900 })] },
  ] as const;
  expect(judgeScale({ ...none, drain })[0]).toMatchObject({ figure: 1, holds: false });
});

test('the longest queue is held against the shortest, in time and in CPU, round by round', () => {
  const at = (perUpdateMs: number, workers: number) => ({
    perUpdateMs,
    cpu: { workers, server: 1 },
    measured: 9,
  });
  const depth = [
    { row: { name: 'ours', depth: 1_000 }, rounds: [at(1, 1), at(10, 1)] },
    { row: { name: 'ours', depth: 10_000 }, rounds: [at(9, 9), at(9, 9)] },
    { row: { name: 'ours', depth: 100_000 }, rounds: [at(1.5, 4), at(15, 4)] },
  ] as const;
  expect(judgeScale({ ...none, depth })).toMatchObject([
    { figure: 1.5, holds: true },
    { figure: 2.5, holds: false },
  ]);
});

test('CPU that nobody could tell is not judged', () => {
  const unknown = { perUpdateMs: 1, cpu: { workers: undefined, server: undefined }, measured: 9 };
  const depth = [10, 20].map((waiting) => ({
    row: { name: 'ours-pglite', depth: waiting } as const,
    rounds: [unknown],
  }));
  expect(judgeScale({ ...none, depth })).toMatchObject([
    { target: expect.stringContaining('time'), holds: true },
  ]);
});

test('latency holds up to its bounds, and a figure that is no number does not', () => {
  const latency = [false, true].map((apart) => ({
    row: { name: 'ours', apart } as const,
    rounds: [{ p50: apart ? 60 : 25.1, p95: 60, p99: apart ? Number.NaN : 250 }],
  }));
  expect(judgeScale({ ...none, latency })).toMatchObject([
    { bound: 25, holds: false },
    { bound: 250, holds: true },
    { bound: 60, holds: true },
    { bound: 250, holds: false },
  ]);
});

test('a rate may be exceeded by two, and by what a burst adds', () => {
  const rate = [
    { row: { processes: 4, perSecond: 50, burst: 1 }, rounds: [{ most: 52, perSecond: 50 }] },
    {
      row: { processes: 4, perSecond: 50, burst: 10 },
      rounds: [
        { most: 60, perSecond: 50 },
        { most: 62, perSecond: 50 },
      ],
    },
  ];
  expect(judgeScale({ ...none, rate })).toMatchObject([
    { bound: 52, holds: true },
    { bound: 61, figure: 62, holds: false },
  ]);
});
