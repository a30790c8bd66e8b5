import fc from 'fast-check';
import { expect, test } from 'vitest';
import { characters } from './characters.ts';

const all = fc.sample(characters(), { numRuns: 5_000, seed: 1 });

test('characters are well-formed, and one each', () => {
  expect(all.every((character) => character.isWellFormed() && [...character].length === 1)).toBe(true);
});

test('characters are of every kind, the ends of ranges among them', () => {
  for (const end of ['\0', '\x7f', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}']) {
    expect([end, all.includes(end)]).toEqual([end, true]);
  }
  for (const kind of [/[a-z]/, /[À-ž]/, /\p{Emoji_Presentation}/u, /\p{Script=Han}/u, /\p{Co}/u, /\p{Cc}/u]) {
    expect([kind, all.some((character) => kind.test(character))]).toEqual([kind, true]);
  }
});

test('a character shrinks to a, or to an emoji where a will not do', () => {
  const smallest = (passes: (character: string) => boolean) =>
    fc.check(fc.property(characters(), passes), { seed: 1 }).counterexample;
  expect(smallest(() => false)).toEqual(['a']);
  expect(smallest((character) => character.length === 1)).toEqual(['🧡']);
  expect(smallest((character) => !/\p{Cc}/u.test(character))?.[0]).toMatch(/\p{Cc}/u);
});
