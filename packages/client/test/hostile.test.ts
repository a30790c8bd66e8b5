import { isDeepStrictEqual } from 'node:util';
import type { OrderUpdate } from '@orders/schema';
import { orderTokens, orderUpdates } from '@orders/testing/arbitraries';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { hostileBodies } from '../../testing/test/arbitraries/hostile-bodies.ts';
import { invalidOrderTokens } from '../../testing/test/arbitraries/odd-texts.ts';
import { createOrdersClient, ValidationError } from '../src/index.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';

const batches = inFull ? 2_000 : 3;
const batchSize = 50;
const apiKey = 'swordfish-swordfish';

const update = fc.oneof(
  { weight: 3, arbitrary: hostileBodies() },
  { weight: 1, arbitrary: orderUpdates() },
  { weight: 1, arbitrary: fc.jsonValue().map((note) => ({ cart: {}, note })) },
);
const token = fc.oneof(
  { weight: 8, arbitrary: orderTokens() },
  { weight: 1, arbitrary: invalidOrderTokens() },
  { weight: 1, arbitrary: fc.anything() },
);

test(`${batches * batchSize} hostile updates and tokens are sent as given or refused`, {
  timeout: inFull ? 1_200_000 : 300_000,
}, async () => {
  const received = new Map<string, { readonly path: string; readonly body: string }>();
  await using server = await startRawServer((socket, request) => {
    const [head = '', body = ''] = Buffer.from(request, 'latin1')
      .toString()
      .split(/\r\n\r\n(.*)/s);
    const id = /x-case: (\d+)/.exec(head)?.[1] ?? '';
    received.set(id, { path: /^PATCH (\S+) HTTP/.exec(head)?.[1] ?? '', body });
    socket.write(httpAnswer(200, {}, '{}'));
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  let count = 0;
  let sent = 0;

  async function check(given: { readonly update: unknown; readonly token: unknown }): Promise<void> {
    const id = String(count++);
    const before = toStableJson(given.update);
    const result = await orders.safeUpdateOrder(given.token as string, given.update as OrderUpdate, {
      headers: { 'x-case': id },
    });
    const arrived = received.get(id);
    if (!result.ok) {
      expect(result.error).toBeInstanceOf(ValidationError);
      expect(arrived).toBeUndefined();
      return;
    }
    sent++;
    expect(arrived?.path).toBe(`/v2/orders/${encodeURIComponent(String(given.token))}`);
    if (before !== undefined) expect(isDeepStrictEqual(JSON.parse(arrived?.body ?? ''), before)).toBe(true);
  }

  const batch = fc.array(fc.record({ update, token }), { minLength: batchSize, maxLength: batchSize });
  const checkBatch = fc.asyncProperty(batch, async (cases) => {
    await Promise.all(cases.map(check));
    received.clear();
  });
  await fc.assert(checkBatch, { numRuns: batches, endOnFailure: true });
  expect(count).toBe(batches * batchSize);
  expect(sent).toBeGreaterThan(count / 10);
  expect(sent).toBeLessThan((count * 9) / 10);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

/** What JSON makes of a value, unless a getter that changes makes it differ each time. */
function toStableJson(value: unknown): unknown {
  try {
    const [once, twice] = [JSON.stringify(value), JSON.stringify(value)];
    return once === twice ? JSON.parse(once) : undefined;
  } catch {
    return undefined;
  }
}

test('a string of ten million characters arrives whole', async () => {
  await using server = await startRawServer((socket) => socket.write(httpAnswer(200, {}, '{}')));
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  await orders.updateOrder('order_1234', Object.assign({ cart: {} }, { note: 'x'.repeat(10_000_000) }));
  expect(server.requests[0]?.length).toBeGreaterThan(10_000_000);
});
