import { expect, test } from 'vitest';
import { quantilesOf } from './measure-latency.ts';

test('so many of a hundred took no longer', () => {
  const times = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect(quantilesOf(times)).toEqual({ p50: 100, p95: 190, p99: 198 });
});

test('of one update every quantile is its time', () => {
  expect(quantilesOf([7])).toEqual({ p50: 7, p95: 7, p99: 7 });
});
