import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBasicAuthorization } from './basic-authorization.ts';

const encode = (pair: string | Uint8Array) => `Basic ${Buffer.from(pair).toString('base64')}`;

test('reads the example of a key and an empty password', () => {
  expect(readBasicAuthorization('Basic YWJjOg==')).toEqual({ scheme: 'basic', username: 'abc' });
});

test('reads every key that HTTP Basic can carry', () => {
  const key = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !text.includes(':') && !/\p{Cc}/u.test(text) && text.isWellFormed());
  fc.assert(
    fc.property(key, (username) => {
      expect(readBasicAuthorization(encode(`${username}:`))).toEqual({ scheme: 'basic', username });
    }),
  );
});

test('never throws and never takes a header that does not encode back to itself', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const reading = readBasicAuthorization(`Basic ${text}`);
      if ('username' in reading) expect(encode(`${reading.username}:`)).toBe(`Basic ${text}`);
    }),
  );
});

test('takes the name of the scheme in any case, as RFC 9110 asks', () => {
  expect(readBasicAuthorization('bAsIC YWJjOg==')).toEqual({ scheme: 'basic', username: 'abc' });
});

test.each([
  ['no credentials', 'Basic'],
  ['a missing colon', encode('abc')],
  ['an empty key', encode(':')],
  ['a password', encode('abc:d')],
  ['a colon in the key', encode('a:b:')],
  ['missing padding', 'Basic YWJjOg'],
  ['base64url', encode('abÿ?>:').replace('+', '-').replace('/', '_')],
  ['a space inside', 'Basic YWJj Og=='],
  ['unused bits', 'Basic YWJjOh=='],
  ['a control character', encode('a\u0000:')],
  ['bytes that are not UTF-8', encode(Uint8Array.of(0xff, 0x3a))],
  ['the key in plain', 'Basic abc:'],
])('takes %s for malformed', (_, header) => {
  expect(readBasicAuthorization(header)).toEqual({ scheme: 'basic', problem: 'malformed' });
});

test('does not name an unknown scheme, which may be a key without its scheme', () => {
  expect(readBasicAuthorization('abc')).toEqual({ scheme: 'other', problem: 'unsupported' });
});
