import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSyntaxProblems } from './json-syntax.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('finds a problem exactly where JSON.parse does, and each within the text', () => {
  const spoiled = fc
    .tuple(
      fc.json(),
      fc.nat(60),
      fc.nat(3),
      fc.constantFrom('', ',', '"', '}', ']', 'NaN', '\n', '/', '0', '\\', ' '),
    )
    .map(([json, at, length, put]) => json.slice(0, at) + put + json.slice(at + length));
  fc.assert(
    fc.property(fc.oneof(spoiled, fc.string()), (text) => {
      const problems = findSyntaxProblems(text);
      expect(problems.length > 0).toBe(!isJson(text));
      const lines = text.split(/\r\n|\r|\n/);
      for (const { line, column } of problems) {
        expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? -1) + 1);
      }
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['{"a": 1,\n}', 1, 8, 'A comma too many'],
  ['[1,\n2,]', 2, 2, 'A comma too many'],
  ['{"a": NaN}', 1, 7, 'JSON has no NaN'],
  ['{"a": -Infinity}', 1, 7, 'JSON has no -Infinity'],
  ['{"a": undefined}', 1, 7, 'JSON has no undefined'],
  ['{"a": True}', 1, 7, 'JSON has no True'],
  ["{'a': 1}", 1, 2, 'Quotes that JSON does not know'],
  ['{a: 1}', 1, 2, 'a stands without quotes'],
  ['{\n"a": 1\n"b": 2}', 3, 1, 'A comma is missing'],
  ['{"a" 1}', 1, 6, 'A colon is missing'],
  ['{"a": 1', 1, 8, 'The text ends before }'],
  ['// cart\n{}', 1, 1, 'JSON has no comments'],
  ['{} # cart', 1, 4, 'JSON has no comments'],
  ['{"a": "x\ny"}', 1, 7, 'A text is not closed on its line'],
  ['{"a": 007}', 1, 8, 'A number cannot begin with 0'],
  ['{"a": +1}', 1, 7, '+1 is no number of JSON'],
  ['{"a":\u00a01}', 1, 6, 'An invisible character (U+00A0) stands here'],
  ['{} {}', 1, 4, 'Something follows after the end'],
  ['', 1, 1, 'There is nothing here'],
  ['['.repeat(100_000), 1, 1, 'This is nested too deeply to be read'],
])('tells of %j where it is and what it is', (text, line, column, message) => {
  const [problem] = findSyntaxProblems(text);
  expect(problem).toEqual({ line, column, message, hint: expect.any(String) });
});

test('tells one problem a line, and goes on on the next', () => {
  const found = findSyntaxProblems('{\n"a": NaN,\n"b": [1,],\n"c": True\n}');
  expect(found.map(({ line }) => line)).toEqual([2, 3, 4]);
});
