import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitedTexts, texts, tooLongTexts } from './texts.ts';

test('every text is well-formed, and a limited one has at most 255 code points', () => {
  fc.assert(
    fc.property(texts(), limitedTexts(), (any, limited) => {
      expect(any.isWellFormed()).toBe(true);
      expect(limited.isWellFormed()).toBe(true);
      expect([...limited].length).toBeLessThanOrEqual(255);
    }),
    { numRuns: 1_000 },
  );
});

test('the longest texts shrink to short ones of the letter a, however many units a character has', () => {
  for (const longest of ['🧡'.repeat(255), '\u{10ffff}'.repeat(255), 'é🧡'.repeat(127)]) {
    const { counterexample } = fc.check(
      fc.property(limitedTexts(), (text) => [...text].length < 4),
      { examples: [[longest]], seed: 1 },
    );
    expect(counterexample).toEqual(['aaaa']);
  }
});

test.each([
  ['an emoji for each character', limitedTexts(), (text: string) => text.length <= 255, '🧡'.repeat(128)],
  ['the least that is too long', tooLongTexts(), () => false, 'a'.repeat(256)],
  ['emoji of the least length', tooLongTexts(), (text: string) => text.length < 300, '🧡'.repeat(256)],
])('a long text shrinks to %s, in a few steps', (_, texts, passes, smallest) => {
  let runs = 0;
  const counted = (text: string) => {
    runs++;
    return passes(text);
  };
  const { counterexample, numRuns } = fc.check(fc.property(texts, counted), { seed: 1, numRuns: 500 });
  expect(counterexample).toEqual([smallest]);
  expect(runs - numRuns).toBeLessThan(500);
});

test('a character in the middle of a long text shrinks to itself alone', () => {
  const text = `${'b'.repeat(100)}\u2028${'c'.repeat(100)}`;
  const lacksSeparator = fc.property(limitedTexts(), (given) => !given.includes('\u2028'));
  expect(fc.check(lacksSeparator, { examples: [[text]], seed: 1 }).counterexample).toEqual(['\u2028']);
});

test('a text that is too long has more than 255 code points', () => {
  const lengths = new Set(
    fc.sample(tooLongTexts(), { numRuns: 500, seed: 1 }).map((text) => [...text].length),
  );
  expect(Math.min(...lengths)).toBe(256);
  expect(lengths.size).toBeGreaterThan(20);
});
