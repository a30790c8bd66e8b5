import { expect, expectTypeOf, test } from 'vitest';
import type * as z from 'zod/mini';
import { Hooks } from './index.ts';

test('checks the addresses by themselves, and keeps unknown ones', () => {
  const hooks = { webhook_url: 'https://shop.example/{order}', cancel_url: '/any' };
  expect(Hooks.parse(hooks)).toStrictEqual(hooks);
  expect(Hooks.parse({})).toStrictEqual({});
});

test.each([
  'myapp://paid',
  'intent://pay#Intent;end',
  'file:///a',
  'a:b',
  'HTTP://X',
  'https://shop.example/?a={b}',
])('a return URL may be %s', (url) => {
  expect(Hooks.safeParse({ user_return_url_on_success: url, user_return_url_on_fail: url }).success).toBe(
    true,
  );
});

test('no case of javascript: and data: is a return URL', () => {
  for (const scheme of ['javascript:', 'data:']) {
    for (let at = 0; at < scheme.length; at++) {
      const url = `${scheme.slice(0, at)}${scheme.slice(at).toUpperCase()}x`;
      expect(Hooks.safeParse({ user_return_url_on_success: url }).success).toBe(false);
    }
  }
});

test('a long address is checked in linear time', { timeout: 2_000 }, () => {
  for (const url of ['a'.repeat(1e6), `https://${'a'.repeat(1e6)} `, `${'a+'.repeat(5e5)}:`]) {
    expect(Hooks.safeParse({ terms_url: url, user_return_url_on_fail: url }).success).toBe(false);
  }
});

test('hooks are typed', () => {
  expectTypeOf<z.infer<typeof Hooks>>().toEqualTypeOf<Hooks>();
  expectTypeOf<Hooks>().toEqualTypeOf<{
    user_return_url_on_success?: string | undefined;
    user_return_url_on_fail?: string | undefined;
    terms_url?: string | undefined;
    webhook_url?: string | undefined;
  }>();
});
