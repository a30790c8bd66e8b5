import { OrderToken } from '@orders/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { invalidApiKeys, invalidOrderTokens } from '../../test/arbitraries/odd-texts.ts';
import { ECHO_PATH, send } from '../../test/send.ts';
import { startMockOrderService } from '../mock/mock-order-service.ts';
import { apiKeys, orderTokens } from './keys-and-tokens.ts';

const many = { numRuns: inFull ? 2_000 : 1_000, seed: 1 };

test('a service accepts every key over a socket', async () => {
  const keys = [...new Set(fc.sample(apiKeys(), { numRuns: inFull ? 150 : 80, seed: 2 }))];
  await using service = await startMockOrderService({ keys });
  for (const [index, key] of keys.entries()) {
    const { status } = await send(service, { key, method: 'GET', path: ECHO_PATH });
    expect([key, status]).toEqual([key, 200]);
    expect(service.journal.at(-1)?.authorization.keyIndex).toBe(index);
  }
});

test('no service starts with an invalid key', async () => {
  await fc.assert(
    fc.asyncProperty(invalidApiKeys(), async (key) => {
      await expect(startMockOrderService({ keys: [key] })).rejects.toThrow(TypeError);
    }),
    { numRuns: inFull ? 500 : 100 },
  );
});

test('a service finds the order of every token over a socket', async () => {
  const tokens = [...new Set(fc.sample(orderTokens(), { numRuns: inFull ? 150 : 80, seed: 2 }))];
  await using service = await startMockOrderService({ orders: tokens });
  const { url, key } = service;
  for (const [index, token] of tokens.entries()) {
    const body = { cart: {}, order_id: String(index) };
    const { status } = await send({ url, key, token }, { body });
    expect([token, status]).toEqual([token, 200]);
    expect(service.ledger.at(-1)).toMatchObject({ token, body });
  }
});

test('OrderToken accepts every token, and no invalid one', () => {
  fc.assert(
    fc.property(orderTokens(), invalidOrderTokens(), (token, invalid) => {
      expect(OrderToken.safeParse(token)).toEqual({ success: true, data: token });
      expect([invalid, OrderToken.safeParse(invalid).success]).toEqual([invalid, false]);
    }),
    { numRuns: inFull ? 1_000 : 300 },
  );
});

test.each([
  [
    'API keys',
    apiKeys,
    [/^test_key_[\da-f]{16,}$/, / /, /=/, /%3A/, /"/, /\\/, /[^\x20-\x7e]/, /[\u{10000}-\u{10ffff}]/u],
  ],
  [
    'order tokens',
    orderTokens,
    [/^a\/b\?c#d%2f$/, /%2f/i, / /, /^\.\./, /[^\x20-\x7e]/, /\p{Emoji_Presentation}/u, /^.{200,}$/],
  ],
])('%s hold what careless code loses', (_, create, kinds) => {
  const values = fc.sample(create(), many);
  for (const kind of kinds) expect([kind, values.some((value) => kind.test(value))]).toEqual([kind, true]);
});
