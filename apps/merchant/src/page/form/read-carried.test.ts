import { expect, test } from 'vitest';
import { leaveOut, namesOf } from './read-carried.ts';
import { isSameJson } from './same-json.ts';

test('names what is carried along, and leaves it out one by one', () => {
  const carried = JSON.stringify({ gift: true, colour: { of: 'blue' } });
  expect(namesOf(carried)).toEqual(['gift', 'colour']);
  expect(leaveOut(carried, 'gift')).toBe('{"colour":{"of":"blue"}}');
  expect(leaveOut(leaveOut(carried, 'gift'), 'colour')).toBe('');
  expect(namesOf('')).toEqual([]);
});

test('names and leaves out what stands in place of an object', () => {
  expect(namesOf('"MUG"')).toEqual(['']);
  expect(leaveOut('"MUG"', '')).toBe('');
});

test.each([
  [{ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1, b: 2 }, { a: 1, c: 2 }, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [null, {}, false],
  ['1', 1, false],
])('%j and %j are the same JSON: %j', (one, other, isSame) => {
  expect(isSameJson(one, other)).toBe(isSame);
  expect(isSameJson(other, one)).toBe(isSame);
});
