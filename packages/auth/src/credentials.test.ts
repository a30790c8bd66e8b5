import { expect, expectTypeOf, test } from 'vitest';
import { basic } from './basic.ts';
import { type Authorization, authorize, type Credentials } from './credentials.ts';

test('yields the value itself at once', () => {
  const key = basic('key_1');
  expect(authorize(key)).toBe(key);
});

test('asks a function each time, so that a key can rotate', async () => {
  const keys = ['first', 'second'];
  const rotating = async (): Promise<Authorization> => basic(keys.shift() ?? 'none');
  expect((await authorize(rotating)).reveal()).toBe(basic('first').reveal());
  expect((await authorize(rotating)).reveal()).toBe(basic('second').reveal());
});

test('a plain string is no credentials', () => {
  expectTypeOf<string>().not.toExtend<Credentials>();
  expectTypeOf(basic).returns.toExtend<Credentials>();
});
