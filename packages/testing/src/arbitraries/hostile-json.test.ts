import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { send } from '../../test/send.ts';
import { startMockOrderService } from '../mock/mock-order-service.ts';
import { type HostileJsonKind, hostileJsonByKind } from './hostile-json.ts';

const hostile = fc.sample(hostileJsonByKind(), { numRuns: inFull ? 2_000 : 1_200, seed: 1 });

test('a service responds to every text with 200 or 4xx, applies those that it accepts, and stays up', async () => {
  await using service = await startMockOrderService();
  const statuses: Partial<Record<HostileJsonKind, number>> = {
    valid_update: 200,
    invalid_update: 422,
    truncated: 400,
    twice: 400,
  };
  let applied = 0;
  await fc.assert(
    fc.asyncProperty(hostileJsonByKind(), async ({ kind, text }) => {
      const { status, json } = await send(service, { body: text });
      expect([kind, statuses[kind] ? [statuses[kind]] : [200, 400, 422]]).toEqual([
        kind,
        expect.arrayContaining([status]),
      ]);
      expect(typeof json).toBe('object');
      if (status === 200) applied++;
      expect(service.ledger).toHaveLength(applied);
    }),
    { numRuns: inFull ? 400 : 50 },
  );
  expect((await send(service)).status).toBe(200);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test('every kind occurs, and about half of the texts are JSON', () => {
  const kinds = new Map<HostileJsonKind, number>();
  for (const { kind } of hostile) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  expect(Math.min(...kinds.values())).toBeGreaterThan(20);
  expect(kinds.size).toBe(18);
  const parsed = hostile.filter(({ text }) => isJson(text)).length;
  expect(parsed).toBeGreaterThan(hostile.length / 4);
  expect(parsed).toBeLessThan((hostile.length * 17) / 20);
});

test.each([
  ['nothing', /^$/],
  ['a byte order mark', /^\ufeff\{/],
  ['a name twice', /"cart":.*"cart":/],
  ['1e400', /:1e400\b/],
  ['minus zero', /:-0[,}]/],
  ['thousands of digits', /\d{1000}/],
  ['__proto__', /"__proto__":/],
  ['an escaped name', /"\\u0063\\u0061\\u0072\\u0074":/],
  ['a raw control character', /"sku":"\0"/],
  ['half a surrogate pair', /\p{Cs}/u],
  ['half a surrogate pair, escaped', /"\\ud800"/],
  ['thousands of levels', '['.repeat(10_000)],
  ['a hundred thousand characters', 'a'.repeat(100_000)],
  ['a hundred thousand lines', '0,'.repeat(100_000)],
])('%s occurs', { timeout: 60_000 }, (_, kind) => {
  const occurs = ({ text }: { readonly text: string }) =>
    typeof kind === 'string' ? text.includes(kind) : kind.test(text);
  expect(hostile.some(occurs)).toBe(true);
});

test('no text is longer than a mebibyte', () => {
  expect(Math.max(...hostile.map(({ text }) => Buffer.byteLength(text)))).toBeLessThan(2 ** 20);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
