import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readNumber } from './read-number.ts';

test('reads every integer as it is written', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (number) => {
      expect(readNumber(String(number))).toBe(number);
    }),
  );
});

test('never makes another number of what was typed', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^-?\d{1,20}(\.\d{1,25})?$/), (typed) => {
      const read = readNumber(typed);
      const isWhole = !/\.\d*[1-9]/.test(typed);
      expect(typeof read === 'string' || Number.isInteger(read) === isWhole).toBe(true);
    }),
  );
});

test.each([
  ['2.5', 2.5],
  [' 12 ', 12],
  ['007', 7],
  ['3.0', 3],
])('reads %j as %d', (typed, number) => {
  expect(readNumber(typed)).toBe(number);
});

test.each([
  '2,5',
  '1e3',
  '0x10',
  '14 900',
  '5 pcs',
  '.5',
  '−5',
  'Infinity',
  '1.00000000000000000001',
  '9'.repeat(400),
])('leaves %j as text, for the schema to judge', (typed) => {
  expect(readNumber(typed)).toBe(typed);
});
