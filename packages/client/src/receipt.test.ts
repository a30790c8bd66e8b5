import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';
import { createOrdersClient } from './index.ts';

const apiKey = 'swordfish-swordfish';
const update = buildOrderUpdate();

test('a receipt shows host, attempts and request ids, and no body, key or whole order token', async () => {
  await using server = await startRawServer((socket) =>
    socket.write(httpAnswer(200, { 'x-request-id': 'req_7f3a' }, '{}')),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const { receipt } = await orders.updateOrder('secret_order_token_1234', update);
  const { id, ...data } = receipt.toJSON();
  expect(receipt.toJSON().id).toBe(id);
  expect(data).toEqual({
    operation: 'PATCH /v2/orders/…1234',
    host: new URL(server.url).host,
    calledAt: expect.stringMatching(/Z$/),
    bodyBytes: JSON.stringify(update).length,
    attempts: [
      {
        startedAfterMs: expect.any(Number),
        durationMs: expect.any(Number),
        status: 200,
        requestId: 'req_7f3a',
        outcome: 'applied',
      },
    ],
    versions: { client: expect.any(String), runtime: expect.stringMatching(/^Node\.js/) },
  });
  const { startedAfterMs = -1, durationMs = -1 } = data.attempts[0] ?? {};
  const [first, second] = `${receipt}`.split('\n');
  expect(first).toBe(
    `PATCH /v2/orders/…1234 to ${data.host} at ${data.calledAt}, ${data.bodyBytes} bytes, receipt ${id}`,
  );
  const [after, took] = [Math.round(startedAfterMs), Math.round(durationMs)];
  expect(second).toBe(`  attempt 1 after ${after} ms, took ${took} ms: 200 req_7f3a -> applied`);
  expect(server.requests[0]).not.toContain(id);
});

test('the time before an attempt includes the wait in its lane', async () => {
  await using server = await startRawServer((socket) => {
    const endsAt = performance.now() + 5;
    while (performance.now() < endsAt);
    socket.write(httpAnswer(200, {}, '{}'));
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const [, { receipt }] = await Promise.all([
    orders.updateOrder('order_1234', update),
    orders.updateOrder('order_1234', update),
  ]);
  expect(receipt.toJSON().attempts[0]?.startedAfterMs).toBeGreaterThanOrEqual(5);
});
