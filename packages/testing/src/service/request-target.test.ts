import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRequestTarget } from './request-target.ts';

test('decodes every token exactly once', () => {
  const token = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(token, (text) => {
      expect(readRequestTarget(`/v2/orders/${encodeURIComponent(text)}`)).toEqual({
        resource: 'order',
        token: text,
      });
    }),
  );
});

test('reads a token that looks encoded as it was before encoding', () => {
  expect(readRequestTarget('/v2/orders/a%2Fb%3Fc%23d%252f')).toEqual({
    resource: 'order',
    token: 'a/b?c#d%2f',
  });
});

test('leaves a plus sign a plus sign', () => {
  expect(readRequestTarget('/v2/orders/a+b')).toEqual({ resource: 'order', token: 'a+b' });
});

test('ignores a query, since the document shows none', () => {
  expect(readRequestTarget('/v2/orders/a?b=c')).toEqual({ resource: 'order', token: 'a' });
});

test('takes an absolute target, as a proxy sends it', () => {
  expect(readRequestTarget('http://orders.example/v2/echo_with_private_key')).toEqual({ resource: 'echo' });
});

test.each(['/v2/orders/%', '/v2/orders/a%g0', '/v2/orders/%c3%28', '/v2/orders/é', '/v2/orders/a"b'])(
  'takes %s for malformed',
  (target) => {
    expect(readRequestTarget(target)).toEqual({ problem: 'malformed' });
  },
);
