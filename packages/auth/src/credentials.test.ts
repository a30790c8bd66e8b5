import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { type Authorization, authorize, basic, bearer, type Credentials, Secret } from './index.ts';

function decode(authorization: Secret): string {
  const [scheme, encoded = ''] = authorization.reveal().split(' ');
  expect(scheme).toBe('Basic');
  return Buffer.from(encoded, 'base64').toString('utf8');
}

const validKey = fc.string({ unit: 'grapheme', minLength: 1 }).filter((key) => !/[:\p{Cc}\p{Cs}]/u.test(key));

test('basic encodes the key as username with an empty password', () => {
  expect(basic('key_1').reveal()).toBe('Basic a2V5XzE6');
});

test('basic encodes UTF-8, so any valid key decodes to itself and a colon', () => {
  const decodesToItself = fc.property(validKey, (key) => {
    expect(decode(basic(key))).toBe(`${key}:`);
  });
  fc.assert(decodesToItself, { examples: [['å'.repeat(100_000)]] });
});

test('a key and a token may be secrets, also of another copy of the package', () => {
  expect(decode(basic(new Secret('key_1')))).toBe('key_1:');
  expect(decode(basic({ reveal: () => 'key_1' } as Secret))).toBe('key_1:');
  for (const token of ['abc.DEF-1_2~3+4/5==', new Secret('abc.DEF-1_2~3+4/5==')])
    expect(bearer(token).reveal()).toBe('Bearer abc.DEF-1_2~3+4/5==');
});

test.each([
  ['an empty key', '', /empty/],
  ['a colon', 'swordfish:', /colon/],
  ['a line break', 'swordfish\n', /control character/],
  ['a C1 control character', 'swordfish\u0085', /control character/],
  ['half a surrogate pair', 'swordfish\ud83d', /surrogate/],
])('basic refuses %s without showing the key', (_name, key, message) => {
  expect(() => basic(key)).toThrow(TypeError);
  expect(() => basic(key)).toThrow(message);
  expect(() => basic(key)).not.toThrow(/swordfish/);
});

test.each(['', 'sword fish', 'swordfish\r\nX: y', 'swordfish=a', 'swordfisch:'])(
  'bearer refuses what RFC 6750 does not allow without showing it: %j',
  (token) => {
    expect(() => bearer(token)).toThrow(TypeError);
    expect(() => bearer(token)).not.toThrow(/sword/);
  },
);

test.each<[value: unknown, found: string]>([
  [undefined, 'undefined'],
  [null, 'null'],
  [4711, 'a value of type number'],
  [{ key: 'swordfish' }, 'a value of type object'],
  [{ reveal: () => 4711 }, 'a value of type object'],
  [() => 'swordfish', 'a value of type function'],
])('basic and bearer refuse %o without showing it', (value, found) => {
  const advice = 'Pass the string: is the variable that holds it set?';
  expect(() => basic(value as string)).toThrow(
    new TypeError(`basic: Expected the API key as a string or a Secret, got ${found}. ${advice}`),
  );
  expect(() => bearer(value as string)).toThrow(
    new TypeError(`bearer: Expected the token as a string or a Secret, got ${found}. ${advice}`),
  );
});

test('authorize returns a value as it is, and calls a function each time, so that a key can rotate', async () => {
  const key = basic('key_1');
  expect(authorize(key)).toBe(key);
  const keys = [basic('first'), basic('second')];
  const rotating = async (): Promise<Authorization> => keys.shift() ?? key;
  expect(decode(await authorize(rotating))).toBe('first:');
  expect(decode(await authorize(rotating))).toBe('second:');
});

test('a plain string is not credentials', () => {
  expectTypeOf<string>().not.toExtend<Credentials>();
  expectTypeOf(basic).returns.toExtend<Credentials>();
});
