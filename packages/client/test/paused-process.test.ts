import { readFile } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { createOrdersClient as createOverFetch } from '../src/fetch.ts';
import { createOrdersClient } from '../src/index.ts';
import { block } from './block.ts';
import { holdTime } from './hold-time.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';

const apiKey = 'swordfish-swordfish';
const update = buildOrderUpdate();
const success = httpAnswer(200, {}, '{}');

function openClient(baseUrl: string) {
  return createOrdersClient({ baseUrl, apiKey, retry: { maxAttempts: 1 } });
}

/** Calls `act` where Node handles a read, so that it does not look at the sockets again before it runs what `act` adds. */
function duringRead<T>(act: () => Promise<T>): Promise<T> {
  return new Promise((resolve) => readFile(import.meta.filename, () => resolve(act())));
}

test.each([
  ['undici', createOrdersClient],
  ['fetch', createOverFetch],
])(
  'responses that arrive while the process is paused past the timeout are read over %s',
  async (_, create) => {
    const waiting: Socket[] = [];
    const all = Promise.withResolvers<void>();
    await using server = await startRawServer((socket) => {
      if (waiting.push(socket) === 8) all.resolve();
    });
    await using orders = create({ baseUrl: server.url, apiKey, retry: { maxAttempts: 1 } });
    const resume = globalThis.setTimeout;
    using time = holdTime();
    const calls = Array.from({ length: 8 }, (_, index) => orders.updateOrder(`order_${index}`, update));
    await all.promise;
    // After a pause the timers, which are late, fire before the sockets are read.
    await new Promise<void>((resolve) =>
      resume(() => {
        for (const socket of waiting) socket.write(success);
        time.pass(15_000);
        resolve();
      }),
    );
    const results = await Promise.all(calls);
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(8).fill('applied'));
  },
);

test('a connection that the service closed while the process was busy is not reused', async () => {
  const sockets: Socket[] = [];
  await using server = await startRawServer((socket) => {
    sockets.push(socket);
    socket.write(success);
  });
  await using orders = openClient(server.url);
  await orders.updateOrder('order_1234', update);
  await delay(100);
  const result = await duringRead(() => {
    for (const socket of sockets) socket.destroy();
    return orders.safeUpdateOrder('order_1234', update);
  });
  expect(result).toMatchObject({ ok: true, outcome: 'applied' });
});

test('an update whose timeout passes while the process is busy is not sent', async () => {
  await using server = await startRawServer((socket) => socket.write(success));
  await using orders = openClient(server.url);
  await orders.updateOrder('order_1234', update);
  const { error } = await duringRead(() => {
    setImmediate(() => block(300));
    return orders.safeUpdateOrder('order_1234', update, { timeouts: { attempt: 200 } });
  });
  expect(error).toMatchObject({ code: 'timeout', outcome: 'not_sent' });
  await orders.updateOrder('order_1234', update);
  expect(server.requests).toHaveLength(2);
});
