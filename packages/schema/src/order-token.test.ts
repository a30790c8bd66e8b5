import { expect, expectTypeOf, test } from 'vitest';
import { explanationsOf, problemsOf } from '../test/problems.ts';
import { isOrderToken, OrderToken } from './index.ts';

test.each(['a', '7f3a-9c', 'a/b?c#d%2f', '...', '.a', 'a..', ' ', '%2e%2e', '🧡', 'é\u200d'])(
  'passes %j',
  (token) => {
    expect(OrderToken.parse(token)).toBe(token);
    expect(isOrderToken(token)).toBe(true);
  },
);

test.each(['', '.', '..', 'a\n', '\u0000', 'a\u007fb', '\u0085', '\ud800', 'a\udc00b'])(
  'refuses %j',
  (token) => {
    expect(isOrderToken(token)).toBe(false);
    expect(explanationsOf(OrderToken, token)).toEqual([
      {
        path: '',
        code: 'invalid_token',
        message: `Expected an order token, got ${JSON.stringify(token)}`,
        hint: 'Pass the token that the service generated, as it is.',
      },
    ]);
  },
);

test('refuses what is no string, with a hint', () => {
  expect(problemsOf(OrderToken, undefined)).toEqual([['', 'required', 'Add a value.']]);
  expect(problemsOf(OrderToken, 7)).toEqual([['', 'invalid_type', 'Write "7", in quotes.']]);
});

test.each([undefined, null, 7, ['a'], new String('a'), { toString: () => 'a' }])(
  'a token is a string, so %j is none',
  (value) => {
    expect(isOrderToken(value)).toBe(false);
    expect(OrderToken.safeParse(value).success).toBe(false);
  },
);

test('a token is typed as a string', () => {
  expectTypeOf<OrderToken>().toEqualTypeOf<string>();
  expectTypeOf(OrderToken.parse('a')).toEqualTypeOf<string>();
  expectTypeOf(isOrderToken).guards.toEqualTypeOf<string>();
});
