import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from './read-json.ts';

test.each([
  ['{"a":1,}', 1, 8, 'A comma before the end of a list or an object'],
  ['{\n  "a": [1, 2,\n  ]\n}', 3, 3, 'A comma before the end of a list or an object'],
  ["{'a':1}", 1, 2, 'A single quote'],
  ['{“a”:1}', 1, 2, 'A typographic quote'],
  ['{"a":\n True}', 2, 2, 'A word that JSON does not know'],
  ['{"a":undefined}', 1, 6, 'A word that JSON does not know'],
  ['{"a":NaN}', 1, 6, 'A number that JSON cannot hold'],
  ['{"a":1 "b":2}', 1, 8, 'Two values in a row'],
  ['{"a" 1}', 1, 6, 'Two values in a row'],
  ['{a:1}', 1, 2, 'A field name without quotes'],
  ['{"a": 399,79}', 1, 11, 'A comma inside a number'],
  ['{"a":01}', 1, 6, 'A number that begins with 0'],
  ['// sent\n{}', 1, 1, 'A comment'],
  ['{"a":1', 1, 7, 'The text ends too early'],
  ['[1,2', 1, 5, 'The text ends too early'],
  ['{"a":"abc', 1, 10, 'The text ends too early'],
  ['{"a":"x\ny"}', 1, 8, 'A line break or a tab inside a text'],
  ['{"a":1}}', 1, 8, 'Unexpected "}"'],
])('%j is broken at line %i, column %i', (text, line, column, message) => {
  expect(readJson(text)).toMatchObject({ ok: false, place: { line, column }, mistake: { message } });
});

test('every text that is no JSON is told at a place within it, with a hint', () => {
  const nearly = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', "'", '\n', 'x', '\\', '\u0000'))
    .map(
      ([text, at, slip]) =>
        text.slice(0, at % (text.length + 1)) + slip + text.slice((at % (text.length + 1)) + 1),
    );
  fc.assert(
    fc.property(nearly, (text) => {
      const reading = readJson(text);
      if (reading.ok) return;
      expect(reading.place.offset).toBeGreaterThanOrEqual(0);
      expect(reading.place.offset).toBeLessThanOrEqual(text.length);
      expect(reading.mistake.hint).not.toBe('');
    }),
  );
});

test('finds every value of a text', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ a: fc.jsonValue(), 'b c': fc.jsonValue() })), (list) => {
      const text = JSON.stringify(list, undefined, 1);
      const reading = readJson(text);
      expect(reading.ok).toBe(true);
      if (!reading.ok) return;
      for (const [index, { a }] of list.entries()) {
        const { offset, length } = reading.find([index, 'a']);
        const member = JSON.parse(`{${text.slice(offset, offset + length)}}`);
        expect(JSON.stringify(member)).toBe(JSON.stringify({ a }));
      }
    }),
  );
});
