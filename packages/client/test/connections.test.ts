import { createServer, type Socket } from 'node:net';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { createOrdersClient, type OrdersClientOptions } from '../src/index.ts';
import { holdTime } from './hold-time.ts';
import { listenOnLoopback } from './loopback.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';

const update = buildOrderUpdate();
const tokens = Array.from({ length: 40 }, (_, index) => `order_${index}`);

/** A server that responds when it is let, and a client of it. */
async function open(options: Partial<OrdersClientOptions>) {
  const held: Socket[] = [];
  let most = 0;
  const server = await startRawServer((socket) => {
    most = Math.max(most, held.push(socket));
  });
  const orders = createOrdersClient({ baseUrl: server.url, apiKey: 'swordfish-swordfish', ...options });
  return {
    orders,
    server,
    held,
    respond: () => void held.shift()?.write(httpAnswer(200, {}, '{}')),
    most: () => most,
    async [Symbol.asyncDispose]() {
      await orders.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('no more requests are under way than connections are allowed, and each of them is used again', async () => {
  await using scene = await open({ maxConnections: 3 });
  const calls = tokens.map((token) => scene.orders.updateOrder(token, update));
  for (const _ of tokens) {
    await expect.poll(() => scene.held.length).toBeGreaterThan(0);
    scene.respond();
  }
  expect(await Promise.all(calls)).toHaveLength(tokens.length);
  expect(scene.most()).toBe(3);
  expect(scene.server.connections).toBe(3);
  // First come, first served.
  const sent = scene.server.requests.map((request) => /order_\d+/.exec(request)?.[0]);
  expect(sent.slice(0, 3).toSorted()).toEqual(tokens.slice(0, 3));
  expect(sent.at(-1)).toBe(tokens.at(-1));
});

test.each<[does: string, serve: (socket: Socket) => void]>([
  ['sends a banner', (socket) => socket.write('SSH-2.0-OpenSSH_9\r\n')],
  ['closes', (socket) => socket.end()],
  ['resets', (socket) => socket.resetAndDestroy()],
])('a service that %s before any request gets one connection for each attempt', async (_does, serve) => {
  await using server = await listenOnLoopback(createServer(serve));
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const retry = { maxAttempts: 1 };
  await using orders = createOrdersClient({ baseUrl, apiKey: 'swordfish-swordfish', retry });
  const { error } = await orders.safeUpdateOrder('order_1', update);
  expect(error).toMatchObject({ code: 'connection_error', attemptCount: 1 });
  expect(server.connections).toBe(1);
});

test('the wait for a connection counts as time of the call, not of an attempt, and its failure names it', async () => {
  await using scene = await open({ maxConnections: 1, retry: { maxAttempts: 1 } });
  using time = holdTime();
  const first = scene.orders.safeUpdateOrder('order_1', update);
  const second = scene.orders.safeUpdateOrder('order_2', update, { timeouts: { total: 16_000 } });
  const third = scene.orders.safeUpdateOrder('order_3', update, { timeouts: { total: 10_000 } });
  await until(() => scene.held.length === 1);
  time.pass(10_000);
  expect((await third).error).toMatchObject({
    code: 'timeout',
    outcome: 'not_sent',
    attemptCount: 0,
    message: expect.stringContaining('waiting for one of 1 connections (maxConnections)'),
  });
  time.pass(5_000);
  expect((await first).error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  // It has the connection only now: an attempt of 15 s would be over already.
  await until(() => scene.held.length === 2);
  scene.held[1]?.write(httpAnswer(200, {}, '{}'));
  expect(await second).toMatchObject({ ok: true, attemptCount: 1 });
});

test('a call that is aborted while it waits for a connection costs the next one nothing', async () => {
  await using scene = await open({ maxConnections: 1 });
  const first = scene.orders.updateOrder('order_1', update);
  const controller = new AbortController();
  const aborted = tokens.map((token) =>
    scene.orders.safeUpdateOrder(token, update, { signal: controller.signal }),
  );
  const last = scene.orders.updateOrder('order_last', update);
  await expect.poll(() => scene.held.length).toBe(1);
  controller.abort();
  for (const { error } of await Promise.all(aborted))
    expect(error).toMatchObject({ code: 'aborted', outcome: 'not_sent' });
  scene.respond();
  await first;
  await expect.poll(() => scene.held.length).toBe(1);
  scene.respond();
  expect(await last).toMatchObject({ outcome: 'applied' });
});

test('items of a bulk run that wait for a connection use up no time', async () => {
  await using scene = await open({ maxConnections: 1, timeouts: { total: 10_000 } });
  using time = holdTime();
  const run = scene.orders.updateOrders(
    tokens.slice(0, 4).map((token) => ({ token, update })),
    { concurrency: 4 },
  );
  const outcomes = (async () => {
    const seen: string[] = [];
    for await (const { outcome } of run) seen.push(outcome);
    return seen;
  })();
  for (const _ of tokens.slice(0, 4)) {
    await until(() => scene.held.length === 1);
    time.pass(9_000);
    scene.respond();
  }
  expect(await outcomes).toEqual(Array(4).fill('applied'));
});

test.each([0, -1, 1.5, '4', Number.POSITIVE_INFINITY])('maxConnections: %o is refused', (maxConnections) => {
  const options = { baseUrl: 'https://127.0.0.1', apiKey: 'swordfish', maxConnections };
  expect(() => createOrdersClient(options as never)).toThrow(
    'maxConnections: write a whole number from 1 on',
  );
});

/** Waits for what real sockets do while the timers of this process are held. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}
