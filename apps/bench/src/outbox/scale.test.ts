import { expect, test } from 'vitest';
import { holds } from '../report.ts';
import { findFaults, mostWithin } from './measure.ts';
import { judgeScale } from './report.ts';

test('what was lost, repeated or out of sequence is found, however orders are mixed', () => {
  const workload = { updates: 6, orders: 2 };
  expect(findFaults([1, 0, 2, 4, 3, 5], workload)).toEqual({ lost: 0, repeated: 0, outOfSequence: 0 });
  expect(findFaults([0, 1, 2, 3, 5], workload)).toEqual({ lost: 1, repeated: 0, outOfSequence: 0 });
  expect(findFaults([0, 1, 2, 0, 3, 4, 5], workload)).toEqual({ lost: 0, repeated: 1, outOfSequence: 0 });
  expect(findFaults([0, 4, 2, 1, 3, 5], workload)).toEqual({ lost: 0, repeated: 0, outOfSequence: 1 });
});

test('the fullest second may begin at any moment, and ends before the next one', () => {
  expect(mostWithin([0, 900, 950, 1_100, 1_899, 5_000], 1_000)).toBe(4);
  expect(mostWithin([0, 1_000, 2_000], 1_000)).toBe(1);
  expect(mostWithin([], 1_000)).toBe(0);
});

test('what was lost and how fast it was is judged, and the longest queue compared with the shortest', () => {
  const drained = (perSecond: number) => ({ perSecond, cpuMs: 1, lost: 0, repeated: 0, outOfSequence: 0 });
  const waited = (perUpdateMs: number) => [{ perUpdateMs, measured: 1 }];
  const targets = judgeScale({
    drain: new Map([
      [
        { engine: 'postgres', processes: 1 },
        [drained(2_400), { ...drained(2_600), lost: 1 }, drained(3_000)],
      ],
    ]),
    depth: new Map([
      [{ engine: 'postgres', depth: 100 }, waited(1)],
      [{ engine: 'postgres', depth: 200 }, waited(9)],
      [{ engine: 'postgres', depth: 300 }, waited(1.6)],
    ]),
    latency: new Map([[{ engine: 'postgres', isApart: true }, [[60, 61, 251]]]]),
    rate: new Map([[{ processes: 2, perSecond: 50, burst: 10 }, [{ most: 61, perSecond: 50 }]]]),
  });
  expect(targets.map((target) => [target.bound, target.figure, holds(target)])).toEqual([
    [0, 1, false],
    [2_500, 2_600, true],
    [1.5, 1.6, false],
    [60, 61, false],
    [250, 251, false],
    [61, 61, true],
  ]);
});
