import fc from 'fast-check';
import { expect, test } from 'vitest';
import { int32, show } from './field-types.ts';

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

test.each<[value: unknown, shown: string]>([
  [-0, '0'],
  [true, 'true'],
  ['a "quote"', '"a \\"quote\\""'],
  ['\ud800', '"\\ud800"'],
  ['x'.repeat(40), `"${'x'.repeat(40)}"`],
  ['x'.repeat(41), `"${'x'.repeat(39)}…"`],
  ['🧡'.repeat(40), `"${'🧡'.repeat(40)}"`],
  ['🧡'.repeat(9_999), `"${'🧡'.repeat(39)}…"`],
])('shows %j as %s', (value, shown) => {
  expect(show(value)).toBe(shown);
});
