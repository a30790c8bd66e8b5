import { readFile } from 'node:fs/promises';
import { basic, bearer, Secret } from '@orders/auth';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import {
  anyCharacter,
  characterEscapes,
  encodings,
  maxCharacter,
  redactionCases,
  redactionSecrets,
  writeAscii,
  writeWith,
} from '../../../.ci/redaction-cases.ts';
import { withinTheTest } from '../../../.ci/within-the-test.ts';
import { createRedactor, sanitizeCause } from './redact.ts';

const escapes = Object.values(characterEscapes);

/** What may stay beside a redacted key: the scheme of the header, its separators and padding, in any escapes. */
const rest = String.raw`(?:[^a-z]|&#?\w+;|\\u\{?[\da-f]{1,6}\}?|\\x[\da-f]{2}|%[\da-f]{2})*`;
const remains = new RegExp(`^<(?:Basic)?${rest}\\[secret\\]${rest}>$`, 'i');

const cases = redactionCases.filter(({ only }) => only !== 'testing');

test.each(cases)('redacts $key written as $name, and leaves the rest', ({ authorization, text }) => {
  const clean = createRedactor(new Secret(authorization))(`{"a":"<${text}>","b":1}`);
  expect(clean).toMatch(/^\{"a":".*","b":1\}$/);
  expect(clean.slice(6, -8)).toMatch(remains);
});

/** No four characters in a row of the key can be read, whatever is undone. */
function expectGone(clean: string, key: string): void {
  expect(clean).toContain('[secret]');
  const shown = [clean];
  for (let depth = 0; depth < 4; depth++)
    for (const text of [...shown])
      for (const undo of undoings) {
        const undone = undo(text);
        if (undone !== '' && !shown.includes(undone)) shown.push(undone);
      }
  const parts = Array.from({ length: key.length - 3 }, (_, start) => key.slice(start, start + 4));
  for (const text of shown) expect(parts.filter((part) => text.includes(part))).toEqual([]);
}

const undoings: readonly ((text: string) => string)[] = [
  (text) => text.replace(/%([\da-f]{2})/gi, (_, digits) => String.fromCharCode(Number(`0x${digits}`))),
  (text) => text.replace(/\\u([\da-f]{4})/gi, (_, digits) => String.fromCharCode(Number(`0x${digits}`))),
  (text) => Buffer.from(/[\w+/-]{8,}/.exec(text)?.[0] ?? '', 'base64').toString(),
  (text) => Buffer.from(text.replace(/[^\da-f]/gi, ''), 'hex').toString(),
];

const plainKeys = [...redactionSecrets.map(({ key }) => key), 'swordfish-swordfish'];

test.each(Object.keys(encodings))('finds every key in: %s', (name) => {
  for (const key of plainKeys)
    for (const around of ['', '\n'])
      expectGone(createRedactor(basic(key))(`{${around}${encodings[name]?.(key)}${around}}`), key);
});

test.each(Object.keys(encodings))('finds a key without the blanks and marks around it in: %s', (name) => {
  const key = 'swordfish-swordfish';
  const lost = ['', ' ', '  ', '\ufeff', '\xa0', '\u2028'];
  for (const before of lost)
    for (const after of lost)
      expectGone(createRedactor(basic(`${before}${key}${after}`))(`{${encodings[name]?.(key)}}`), key);
});

test('SECURITY.md names exactly these encodings', async () => {
  const security = await readFile(new URL('../../../SECURITY.md', import.meta.url), 'utf8');
  const names = Array.from(security.matchAll(/^\| (?!Encoding|-)(.*?) +\|/gm), ([, name]) => name);
  expect(names).toEqual(Object.keys(encodings));
});

test('finds a key in any two encodings of another', () => {
  const layers = fc.array(fc.constantFrom(...Object.keys(encodings)), { minLength: 2, maxLength: 2 });
  const secret = fc.stringMatching(/^[\w~!+/=.-]{8,40}y$/);
  fc.assert(
    fc.property(secret, layers, (key, names) => {
      const written = names.reduce((inner, name) => encodings[name]?.(inner) ?? inner, key);
      const clean = createRedactor(basic(key))(`<\n${written}\n>`);
      expect(clean).toContain('[secret]');
      for (const form of [key, btoa(key).slice(0, -4), Buffer.from(key).toString('hex')])
        expect(clean).not.toContain(form);
    }),
    { numRuns: inFull ? 5_000 : 500 },
  );
});

test('looks at the start of a text alone, and shows no part of a key that its end cuts', () => {
  const key = 'swordfish-swordfish';
  const redact = createRedactor(basic(key));
  for (let before = 8_150; before < 8_200; before++) {
    const clean = redact(`${' '.repeat(before)}${key} ${'x'.repeat(2 ** 20)}`, 8_192);
    expect(clean.length).toBeLessThanOrEqual(8_192);
    expect(clean).not.toContain('sw');
  }
  for (const unit of [`${key} `, btoa(`${key}!!`), `%73${key}`]) {
    expect(redact(unit.repeat(50_000), 8_192)).not.toContain('sword');
    let looked = 0;
    const text = unit.repeat(50_000);
    const counting = Object.assign(Object(text), {
      slice(start: number, end: number) {
        looked += end - start;
        return text.slice(start, end);
      },
    }) as string;
    redact(counting, 8_192);
    expect(looked).toBeLessThan(2 * 8_192);
  }
});

test('returns no more than was asked for, and as much of it as it can, whatever the credential', () => {
  const values = fc.oneof(
    fc.string(),
    fc.constantFrom('', 'short', `Bearer ${'ab1.'.repeat(400)}`, `Bearer ${'x'.repeat(30_000)}`),
  );
  const lengths = fc.tuple(fc.nat({ max: 40_000 }), fc.nat({ max: 10_000 }));
  fc.assert(
    fc.property(values, lengths, (value, [length, maxLength]) => {
      const text = 'no key here! '.repeat(4_000).slice(0, length);
      fc.pre(!value.includes('no key') && !'no key here! '.includes(value));
      const clean = createRedactor(new Secret(value))(text, maxLength);
      expect(text.slice(0, maxLength).startsWith(clean)).toBe(true);
      // How much is searched behind what is shown is bounded.
      if (length <= maxLength + 16_384) expect(clean).toHaveLength(Math.min(length, maxLength));
    }),
  );
  const long = 'no key here! '.repeat(80_000);
  expect(createRedactor(bearer('ab1.'.repeat(400)))(long, 8_192)).toBe(long.slice(0, 8_192));
});

test('remembers nothing of one credential for another, though each call makes its own', () => {
  const text = 'swordfish-1 swordfish-2';
  for (let round = 0; round < 3; round++)
    for (const key of ['swordfish-1', 'swordfish-2'])
      expect(createRedactor(basic(key))(text)).toBe(text.replace(key, '[secret]'));
});

test.each(redactionSecrets)('redacts $key escaped twice, in any two ways', ({ authorization, key }) => {
  const redact = createRedactor(new Secret(authorization));
  for (const inner of escapes)
    for (const outer of escapes) {
      const once = Array.from(key, inner).join('');
      for (const twice of [
        Array.from(once, outer).join(''),
        Array.from(once, (character) => (/\w/.test(character) ? character : outer(character))).join(''),
      ])
        expect(redact(`<${twice}>`)).toMatch(remains);
    }
});

test('redacts a key in JSON that is a string of JSON that is a string of JSON', () => {
  const key = `O'Neil & <Sons> "x" 99`;
  const nested = JSON.stringify(JSON.stringify(JSON.stringify({ key })));
  const clean = createRedactor(basic(key))(nested);
  expect(clean).toContain('[secret]');
  expect(clean).not.toMatch(/Neil|Sons/);
});

test('redacts a key that ends in a backslash, or that looks like an escape itself', () => {
  for (const text of ['swordfish\\', 'sword%41fish', 'sword&amp;fish', 'swordf\\u0069sh', '%41%41%41'])
    for (const write of escapes)
      expect(createRedactor(basic(text))(`"${Array.from(text, write).join('')}"`)).toMatch(
        /^"\[secret\][^A\w]*/,
      );
});

test('redacts a key with spaces in a form, and no text that is shorter than the key it decodes to', () => {
  expect(createRedactor(basic('correct horse battery'))('key=correct+horse+battery')).toBe('key=[secret]');
  expect(createRedactor(basic('%41%41%41'))('AAA %')).toBe('AAA %');
});

/** The unit `binary` takes a second to make. */
const character = fc.nat({ max: maxCharacter }).map(anyCharacter);

const printable = fc
  .oneof(
    ...['grapheme' as const, character, fc.constantFrom(...'\\xé€')].map((unit) =>
      fc.string({ unit, minLength: 1 }),
    ),
  )
  .filter((text) => !/[:\p{Cc}\p{Cs}]/u.test(text));
// So long that one whose escapes are undone does not occur by chance; spaces of a key are a plus in a form, all or none.
const key = printable.map((text) => `${text.replaceAll(' ', '_')}swordfish`);
const ways = fc.array(fc.constantFrom(...escapes), { minLength: 1 });
const context = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'\\%&#u41;+=Ã') }),
);

test('redacts a key whatever mix of escapes its characters stand in', () => {
  const redactsAll = fc.property(key, ways, fc.constantFrom(...escapes), (text, mix, outer) => {
    const once = writeWith(mix, text);
    for (const written of [once, Array.from(once, outer).join(''), writeAscii(text)]) {
      const clean = createRedactor(basic(text))(`<${written}>`);
      expect(clean).toContain('[secret]');
      expect(clean).not.toContain(written);
    }
  });
  fc.assert(redactsAll, { numRuns: inFull ? 1_000 : 150 });
});

test('leaves a text without the key as it is', () => {
  const texts = fc.oneof(fc.json(), context, fc.string({ unit: character }));
  fc.assert(
    fc.property(key, texts, (text, without) => {
      fc.pre(!without.includes(text));
      expect(createRedactor(basic(text))(without)).toBe(without);
    }),
  );
});

test.each(['test', 'a', '6100', 'true', 'null', '{', '"', '\\', '%', '1234567'])(
  'leaves the short key %j in a text, and redacts the header with it',
  (short) => {
    const base64 = Buffer.from(`${short}:`).toString('base64');
    const hex = Buffer.from(short).toString('hex');
    const redact = createRedactor(basic(short));
    for (const write of escapes) {
      const text = JSON.stringify({ [short]: [`${short}:`, Array.from(short, write).join(''), base64, hex] });
      expect(redact(text)).toBe(text);
      expect(redact(`<${Array.from(`Basic ${base64}`, write).join('')}>`)).toBe('<[secret]>');
    }
    expect(createRedactor(new Secret(short))(`{"a":${short}}`)).toBe(`{"a":${short}}`);
  },
);

test('redacts user and password of other Basic credentials, and whatever else a Secret holds', () => {
  const redact = createRedactor(new Secret(`Basic ${btoa('merchant-1:swordfish')}`));
  expect(redact('merchant-1 swordfish merchant-1:swordfish')).toBe('[secret] [secret] [secret]');
  const latin1 = btoa('m\xfcller-1:s');
  expect(createRedactor(new Secret(`Basic ${latin1}`))(latin1)).toBe('[secret]');
  expect(createRedactor(bearer('swordfish-swordfish'))('Bearer swordfish-swordfish!')).toBe('[secret]!');
  expect(createRedactor(new Secret('swordfish'))('swordfish')).toBe('[secret]');
});

const long = inFull ? 100_000 : 20_000;

test.each([
  ['nothing', ''],
  ['a scheme alone', 'Basic'],
  ['a scheme and a space', 'Basic '],
  ['Basic that is no base64', 'Basic p%C3%A4ssw\u00f6rd'],
  ['Basic that is no UTF-8', `Basic ${btoa('\xff\xfe\xf4\x90\x80\x80:\xed\xa0\x80')}`],
  ['lone surrogates', `Bearer \ud800${'\udfff'.repeat(10)}\ud800`],
  ['thousands of characters', `Bearer ${'swordfish!'.repeat(long / 10)}`],
  ['thousands of equals signs', `Bearer ${'='.repeat(long)}!`],
  ['thousands of backslashes', `Bearer ${'\\'.repeat(long)}`],
  ['thousands of characters of base64', `Basic ${'c3dv'.repeat(long / 4)}`],
])('never throws for a Secret that holds %s', (_, value) => {
  const redact = createRedactor(new Secret(value));
  for (const text of [
    '',
    '\\',
    '\\u',
    '%',
    '%f',
    '&#',
    '&#x110000;',
    '&#9999999;',
    '\xf4',
    '%f4%90%80%80',
    '\ud800',
  ])
    expect(redact(`${text}${text}`)).toBe(`${text}${text}`);
  expect(redact(`<${value}>`, 2 * long)).toBe(value.length < 8 ? `<${value}>` : '<[secret]>');
});

test('never throws for a text that is cut anywhere', () => {
  for (const { authorization, text } of cases) {
    const redact = createRedactor(new Secret(authorization));
    for (let length = 0; length < text.length; length++) redact(`%${text.slice(0, length)}`);
  }
});

test.each([
  ...['\\\\', 'swordfis', '%2525', '&amp;amp;', '&#00000000000000000', 'Ã\x83', '\\u005c', '73      '],
  // The same regular expressions again.
  ...(inFull ? ['%', '\\u', '&#', '%73wordfis', '%25', '&amp;'] : []),
])('takes linear time for %j', (unit) => {
  const redact = createRedactor(basic('swordfish-swordfish'));
  const text = `%${unit.repeat(2 ** 20 / unit.length)}`;
  expect(withinTheTest(() => redact(text, text.length)) === text).toBe(true);
});

const unredacted = (text: string): string => text;

test('keeps name, message and code of a cause, and drops what else it carries', () => {
  const cause = Object.assign(new TypeError(' no room '), { code: 'ENOSPC', query: 'insert the body' });
  const clean = sanitizeCause(cause, unredacted);
  expect(clean).toMatchObject({ name: 'TypeError', message: 'no room', code: 'ENOSPC' });
  expect(clean).not.toHaveProperty('query');
  expect(clean?.stack).toBe('TypeError: no room');
});

test('anything can be thrown, and its sanitized cause is an Error', () => {
  const unreadable = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no');
      },
    },
  );
  const any = fc.anything({ withNullPrototype: true, withBigInt: true, withObjectString: true });
  fc.assert(
    fc.property(fc.oneof(any, fc.constant(unreadable), fc.constant(Symbol('s'))), (cause) => {
      const clean = sanitizeCause(cause, unredacted);
      expect(clean instanceof Error).toBe(cause !== undefined);
    }),
  );
});
