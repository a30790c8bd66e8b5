import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import {
  anyCharacter,
  characterEscapes,
  maxCharacter,
  redactionCases,
  redactionSecrets,
  writeAscii,
  writeWith,
} from '../../../.ci/redaction-cases.ts';
import { withinTheTest } from '../../../.ci/within-the-test.ts';
import { createRedactor } from './redact.ts';

const escapes = Object.values(characterEscapes);
const cases = redactionCases.filter(({ only }) => only !== 'client');

/** What may stay beside a redacted key: the scheme of the header, its separators and padding, in any escapes. */
const rest = String.raw`(?:[^a-z]|&#?\w+;|\\u\{?[\da-f]{1,6}\}?|\\x[\da-f]{2}|%[\da-f]{2})*`;
const remains = new RegExp(`^<(?:Basic|Bearer)?${rest}\\[redacted\\]${rest}>$`, 'i');

test.each(cases)('redacts $key written as $name, and leaves the rest', ({ key, text }) => {
  const clean = createRedactor([key])(`{"a":"<${text}>","b":1}`);
  expect(clean).toMatch(/^\{"a":".*","b":1\}$/);
  expect(clean.slice(6, -8)).toMatch(remains);
});

test.each(redactionSecrets)('redacts $key in escaped JSON, itself nested in JSON up to twice', ({ key }) => {
  const redact = createRedactor([key]);
  for (const write of escapes) {
    const written = Array.from(JSON.stringify({ key }), (character) =>
      /\w/.test(character) ? character : write(character),
    ).join('');
    for (const text of [written, JSON.stringify({ written }), JSON.stringify(JSON.stringify({ written }))])
      expect(redact(text)).toContain('[redacted]');
  }
});

/** The unit `binary` takes a second to make. */
const character = fc.nat({ max: maxCharacter }).map(anyCharacter);

const secrets = fc
  .oneof(
    ...['grapheme' as const, character, fc.constantFrom(...'\\xé€')].map((unit) =>
      fc.string({ unit, minLength: 1 }),
    ),
  )
  .filter((text) => !/[:\p{Cc}\p{Cs}]/u.test(text))
  // A form has a plus for a space, and a key whose escapes are undone may not be one that occurs by chance.
  .map((text) => `${text.replaceAll(' ', '_')}swordfish`);
const mixes = fc.array(fc.constantFrom(...escapes), { minLength: 1 });

test('redacts a key whatever mix of escapes its characters have, once or twice', () => {
  fc.assert(
    fc.property(secrets, mixes, fc.constantFrom(...escapes), (secret, mix, outer) => {
      const once = writeWith(mix, secret);
      for (const written of [once, Array.from(once, outer).join(''), writeAscii(secret)]) {
        const clean = createRedactor([secret])(`<${written}>`);
        expect(clean).toContain('[redacted]');
        expect(clean).not.toContain(written);
      }
    }),
    { numRuns: inFull ? 500 : 150 },
  );
});

test('leaves a line without a secret as it is', () => {
  const line = fc.stringMatching(/^[!-~]+( [!-~]+)*$/);
  fc.assert(
    fc.property(secrets, line, (secret, text) => {
      fc.pre(!text.includes(secret));
      expect(createRedactor([secret])(text)).toBe(text);
    }),
  );
  expect(createRedactor([''])('at: 100 %41 &amp; \\u0041')).toBe('at: 100 %41 &amp; \\u0041');
});

test('redacts every secret, however short, and the longer one where one is part of another', () => {
  const redact = createRedactor(['ord_1', 'ord_1_key', 'k/2']);
  expect(redact('ord_1_key ord_1 k/2 k%2f2')).toBe('[redacted] [redacted] [redacted] [redacted]');
  // Three characters that a key unescapes to occur by chance.
  expect(createRedactor(['%41%41%41'])('AAA "%41%41%41"')).toBe('AAA "[redacted]"');
});

test('returns one line without control characters, also where escapes are undone', () => {
  const redact = createRedactor(['sekret key']);
  expect(redact('a\r\n\tb\u001b[2Jc\u202ed')).toBe('a b [2Jc d');
  expect(redact('a%0Ab%1b[2J %73ekret%20key')).toBe('a b [2J [redacted]');
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      expect(redact(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('redacts a key that is whole once lines are joined, and one whose blanks are', () => {
  expect(createRedactor(['sekret key'])('sekret\n key')).toBe('[redacted]');
  for (const text of ['sekret  key', 'sekret%20%20key']) {
    expect(createRedactor(['sekret  key'])(text)).toBe('[redacted]');
  }
});

test('never throws for a text that is cut anywhere', () => {
  for (const { key, text } of cases) {
    const redact = createRedactor([key]);
    for (let length = 0; length < text.length; length += 7) redact(`%${text.slice(0, length)}`);
  }
  for (const text of ['\\u', '%f', '&#', '&#x110000;', '&#9999999;', '%f4%90%80%80', '&constructor;']) {
    expect(createRedactor(['sekret'])(text)).toBe(text);
  }
});

test.each([
  ...['\\\\', 'swordfis', '%2525', '&amp;amp;', '&#00000000000000000', '\\u005c', ' \n'],
  // The same regular expressions again.
  ...(inFull ? ['%', '\\u', '&#', '%73wordfis', '%25', '&amp;'] : []),
])('takes linear time for %j', (unit) => {
  const redact = createRedactor(['swordfish-swordfish']);
  const text = unit.repeat(2 ** 20 / unit.length);
  expect(withinTheTest(() => redact(text)) === text.trim()).toBe(true);
});
