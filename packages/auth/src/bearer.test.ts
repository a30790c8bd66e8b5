import { expect, test } from 'vitest';
import { bearer } from './bearer.ts';
import { Secret } from './secret.ts';

test('gives the token with its scheme', () => {
  expect(bearer('abc.DEF-1_2~3+4/5==').reveal()).toBe('Bearer abc.DEF-1_2~3+4/5==');
  expect(bearer(new Secret('abc')).reveal()).toBe('Bearer abc');
});

test.each(['', 'sword fish', 'swordfish\r\nX: y', 'swordfish=a', 'swordfisch:'])(
  'refuses what RFC 6750 does not allow without showing it: %j',
  (token) => {
    expect(() => bearer(token)).toThrow(TypeError);
    expect(() => bearer(token)).not.toThrow(/sword/);
  },
);
