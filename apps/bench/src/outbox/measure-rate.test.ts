import { expect, test } from 'vitest';
import { mostWithin } from './measure-rate.ts';

test('counts the moments of the fullest second', () => {
  expect(mostWithin([0, 900, 950, 1_100, 1_899, 5_000], 1_000)).toBe(4);
});

test('a second that has passed to the end does not count', () => {
  expect(mostWithin([0, 1_000, 2_000], 1_000)).toBe(1);
});

test('no moment is none', () => {
  expect(mostWithin([], 1_000)).toBe(0);
});

test('the fullest second may begin at any moment', () => {
  const pairs = Array.from({ length: 20 }, (_, index) => [index * 500, index * 500 + 499]).flat();
  expect(mostWithin([...pairs, 10_000, 10_001, 10_002], 1_000)).toBe(6);
});
