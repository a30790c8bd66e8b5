import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../test/in-full.ts';
import { send } from '../../test/send.ts';
import { startMockOrderService } from '../mock/mock-order-service.ts';
import { type HostileJsonKind, hostileJson, hostileJsonByKind } from './hostile-json.ts';

const hostile = fc.sample(hostileJsonByKind(), { numRuns: 2_000, seed: 1 });

test('a service responds to every text with 200 or 4xx, and stays up', async () => {
  await using service = await startMockOrderService();
  await fc.assert(
    fc.asyncProperty(hostileJson(), async (body) => {
      const { status, json } = await send(service, { body });
      expect([200, 400, 422]).toContain(status);
      expect(typeof json).toBe('object');
    }),
    { numRuns: inFull ? 200 : 100 },
  );
  expect((await send(service)).status).toBe(200);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test('a service applies exactly the texts that it accepts', async () => {
  await using service = await startMockOrderService();
  const statuses = new Map<HostileJsonKind, Set<number>>();
  let applied = 0;
  for (const { kind, text } of hostile.slice(0, 200)) {
    const { status } = await send(service, { body: text });
    statuses.set(kind, (statuses.get(kind) ?? new Set()).add(status));
    if (status === 200) applied++;
  }
  expect(service.ledger).toHaveLength(applied);
  expect(statuses.get('valid_update')).toEqual(new Set([200]));
  expect(statuses.get('invalid_update')).toEqual(new Set([422]));
  expect(statuses.get('truncated')).toEqual(new Set([400]));
  expect(statuses.get('twice')).toEqual(new Set([400]));
  expect(statuses.get('number')).toEqual(new Set([200, 400, 422]));
});

test('every kind occurs, and about half of the texts are JSON', () => {
  const kinds = new Map<HostileJsonKind, number>();
  for (const { kind } of hostile) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  expect(Math.min(...kinds.values())).toBeGreaterThan(20);
  expect(kinds.size).toBe(18);
  const parsed = hostile.filter(({ text }) => isJson(text)).length;
  expect(parsed).toBeGreaterThan(500);
  expect(parsed).toBeLessThan(1_700);
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
