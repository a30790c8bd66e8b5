import { expect, test } from 'vitest';
import { drawnRows, drawnWhole } from './drawn-rows.ts';

test('draws what is in view, and the neighbours of what is kept, in order and once', () => {
  expect(drawnRows({ first: 100, last: 104, count: 500 }, [250, 102, 0])).toEqual([
    0, 1, 100, 101, 102, 103, 104, 249, 250, 251,
  ]);
});

test('draws no row that there is not', () => {
  expect(drawnRows({ first: 496, last: 503, count: 500 }, [499, 700])).toEqual([496, 497, 498, 499]);
  expect(drawnRows({ first: 0, last: 0, count: 0 }, [3])).toEqual([]);
});

test('draws a short cart as a whole', () => {
  expect(drawnRows({ first: 0, last: 3, count: drawnWhole }, [])).toHaveLength(drawnWhole);
  expect(drawnRows({ first: 0, last: 3, count: drawnWhole + 1 }, [])).toHaveLength(4);
});
