import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tidyJson } from './tidy-json.ts';

test('sets JSON out as JSON.stringify does, whatever blanks it had', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ noUnicodeString: false }),
      fc.constantFrom(undefined, '\t', 7),
      (value, space) => {
        expect(tidyJson(JSON.stringify(value, null, space))).toBe(JSON.stringify(value, null, 2));
      },
    ),
  );
});

test('changes no number and no name', () => {
  expect(tidyJson('{"sku":12345678901234567890,"price":1.10,"sku":-0}')).toBe(
    '{\n  "sku": 12345678901234567890,\n  "price": 1.10,\n  "sku": -0\n}',
  );
});

test('gives back what is not JSON', () => {
  expect(tidyJson('{"a":1,}')).toBe('{"a":1,}');
});

test('is quick with as much as one update may hold', { timeout: 5_000 }, () => {
  const long = JSON.stringify({
    cart: { items: Array.from({ length: 20_000 }, () => ({ sku: 'a', quantity: 1 })) },
  });
  expect(tidyJson(long).split('\n').length).toBeGreaterThan(80_000);
});
