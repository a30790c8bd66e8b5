import fc from 'fast-check';
import { expect, test } from 'vitest';
import { int32, integer } from './integer.ts';

test.each([0, -0, 1, -1, 2 ** 53 - 1, 1 - 2 ** 53])('an integer may be %d', (value) => {
  expect(integer().parse(value)).toBe(value);
});

test.each([0.1, -399.79999, 1e-9])('an integer is not %d', (value) => {
  expect(integer().safeParse(value).error?.issues).toMatchObject([{ rule: 'not_integer' }]);
});

test.each([2 ** 53, -(2 ** 53), 1e300])('an integer that may have lost digits is refused: %d', (value) => {
  expect(integer().safeParse(value).error?.issues).toMatchObject([
    {
      rule: 'out_of_range',
      message: `Expected an integer from -9007199254740991 to 9007199254740991, got ${value}`,
    },
  ]);
});

test('an int32 is what fits in 32 bits', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constantFrom(2 ** 31, -(2 ** 31) - 1)),
      (value) => {
        expect(int32().safeParse(value).success).toBe(value === (value | 0));
      },
    ),
    { numRuns: 200 },
  );
});
