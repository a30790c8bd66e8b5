import { expect, test } from 'vitest';
import { ratioOf, spreadOf } from './statistics.ts';

test('the median of an odd number of values is the middle one, in whatever order they come', () => {
  expect(spreadOf([9, 1, 5])).toEqual({ median: 5, low: 3, high: 7 });
});

test('the median of an even number of values lies between the two in the middle', () => {
  expect(spreadOf([4, 1, 2, 3])).toEqual({ median: 2.5, low: 1.75, high: 3.25 });
});

test('one value is its own spread, and no value has none', () => {
  expect(spreadOf([7])).toEqual({ median: 7, low: 7, high: 7 });
  expect(() => spreadOf([])).toThrow(RangeError);
});

test('a ratio is taken round by round, so that a slow round cancels out', () => {
  expect(ratioOf([2, 200, 3], [1, 100, 2])).toEqual({ median: 2, low: 1.75, high: 2 });
});

test('a ratio needs as many rounds on both sides', () => {
  expect(() => ratioOf([1, 2], [1])).toThrow(RangeError);
});
