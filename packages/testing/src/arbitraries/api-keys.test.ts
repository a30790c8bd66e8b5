import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ECHO_PATH, send } from '../../test/send.ts';
import { findKeyProblem } from '../service/key-ring.ts';
import { startOrderService } from '../service/order-service.ts';
import { apiKeys, invalidApiKeys } from './api-keys.ts';

const many = { numRuns: 2_000, seed: 1 };

test('every key opens the service that it is a key of, over a socket', async () => {
  const keys = [...new Set(fc.sample(apiKeys(), { numRuns: 150, seed: 2 }))];
  await using service = await startOrderService({ keys });
  for (const [index, key] of keys.entries()) {
    const { status } = await send(service, { key, method: 'GET', path: ECHO_PATH });
    expect([key, status]).toEqual([key, 200]);
    expect(service.journal.at(-1)?.authorization.keyIndex).toBe(index);
  }
});

test('no service starts with an invalid key', async () => {
  await fc.assert(
    fc.asyncProperty(invalidApiKeys(), async (key) => {
      await expect(startOrderService({ keys: [key] })).rejects.toThrow(TypeError);
    }),
    { numRuns: 1_000 },
  );
});

test('no key is one that the service finds fault with', () => {
  const problems = fc.sample(apiKeys(), many).map(findKeyProblem);
  expect(new Set(problems)).toEqual(new Set([undefined]));
});

test('keys are of any script, with blanks and signs, and like the ones that services make', () => {
  const keys = fc.sample(apiKeys(), many);
  for (const kind of [
    /^test_key_[\da-f]{16,}$/,
    / /,
    /=/,
    /%3A/,
    /"/,
    /\\/,
    /[^\x20-\x7e]/,
    /[\u{10000}-\u{10ffff}]/u,
  ]) {
    expect(keys.some((key) => kind.test(key))).toBe(true);
  }
});

test('invalid keys are empty, or hold a colon, a control character or half a surrogate pair', () => {
  const keys = fc.sample(invalidApiKeys(), many);
  expect(keys).toContain('');
  for (const kind of [/.:/, /:./, /\n$/, /\0/, /\x7f/, /\x85/, /\p{Cs}/u]) {
    expect(keys.some((key) => kind.test(key))).toBe(true);
  }
});
