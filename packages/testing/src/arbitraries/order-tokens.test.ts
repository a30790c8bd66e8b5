import { OrderToken } from '@orders/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { send } from '../../test/send.ts';
import { startOrderService } from '../service/order-service.ts';
import { invalidOrderTokens, orderTokens } from './order-tokens.ts';

const many = { numRuns: 2_000, seed: 1 };

test('every token is one that OrderToken takes', () => {
  fc.assert(
    fc.property(orderTokens(), (token) => {
      expect(OrderToken.safeParse(token)).toEqual({ success: true, data: token });
    }),
    { numRuns: 1_000 },
  );
});

test('every invalid token is one that OrderToken refuses', () => {
  fc.assert(
    fc.property(invalidOrderTokens(), (token) => {
      expect(OrderToken.safeParse(token).success).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});

test('every token finds its order over a socket', async () => {
  const tokens = [...new Set(fc.sample(orderTokens(), { numRuns: 150, seed: 2 }))];
  await using service = await startOrderService({ orders: tokens });
  for (const [index, token] of tokens.entries()) {
    const body = { cart: {}, order_id: String(index) };
    const { status } = await send({ ...pick(service), token }, { body });
    expect([token, status]).toEqual([token, 200]);
    expect(service.appliedTo(token)).toEqual([body]);
  }
});

test('tokens hold what a careless path would lose', () => {
  const tokens = fc.sample(orderTokens(), many);
  expect(tokens).toContain('a/b?c#d%2f');
  for (const trap of [
    /\//,
    /\?/,
    /#/,
    /%2f/i,
    / /,
    /^\.\./,
    /[^\x20-\x7e]/,
    /\p{Emoji_Presentation}/u,
    /^.{200,}$/,
  ]) {
    expect(tokens.some((token) => trap.test(token))).toBe(true);
  }
});

test('invalid tokens are empty, dots, with control characters or ill-formed', () => {
  const tokens = fc.sample(invalidOrderTokens(), many);
  expect(tokens).toEqual(expect.arrayContaining(['', '.', '..']));
  for (const trap of ['\0', '\n', '\x7f', '\x85']) {
    expect(tokens.some((token) => token.length > trap.length && token.includes(trap))).toBe(true);
  }
  expect(tokens.some((token) => !token.isWellFormed())).toBe(true);
});

function pick({ url, key }: { readonly url: string; readonly key: string }) {
  return { url, key };
}
