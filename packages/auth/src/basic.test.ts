import fc from 'fast-check';
import { expect, test } from 'vitest';
import { basic } from './basic.ts';
import { Secret } from './secret.ts';

function decode(authorization: Secret): string {
  const [scheme, encoded = ''] = authorization.reveal().split(' ');
  expect(scheme).toBe('Basic');
  return Buffer.from(encoded, 'base64').toString('utf8');
}

const validKey = fc.string({ unit: 'grapheme', minLength: 1 }).filter((key) => !/[:\p{Cc}\p{Cs}]/u.test(key));

test('encodes the key as username with an empty password', () => {
  expect(basic('key_1').reveal()).toBe('Basic a2V5XzE6');
});

test('encodes UTF-8, so that any valid key decodes to itself and a colon', () => {
  fc.assert(
    fc.property(validKey, (key) => {
      expect(decode(basic(key))).toBe(`${key}:`);
    }),
  );
});

test('encodes a key of 100,000 characters', () => {
  expect(decode(basic('å'.repeat(100_000)))).toBe(`${'å'.repeat(100_000)}:`);
});

test('takes a key that is a secret', () => {
  expect(decode(basic(new Secret('key_1')))).toBe('key_1:');
});

test.each([
  ['an empty key', '', /empty/],
  ['a colon', 'swordfish:', /colon/],
  ['a line break', 'swordfish\n', /control character/],
  ['a C1 control character', 'swordfish\u0085', /control character/],
  ['half a surrogate pair', 'swordfish\ud83d', /surrogate/],
])('refuses %s without showing the key', (_name, key, message) => {
  expect(() => basic(key)).toThrow(TypeError);
  expect(() => basic(key)).toThrow(message);
  expect(() => basic(key)).not.toThrow(/swordfish/);
});
