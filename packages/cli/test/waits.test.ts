import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createFolder, startOrders } from './run-orders.ts';

const file = { 'a.json': '{"cart":{"items":[]}}', 'rows.csv': 'token,cart.items[0].sku\norder-1,MUG\n' };
const send = ['send', 'rows.csv', '--json'];

/** Each command while what it needs does not answer, and what it says that it waits for. */
test.concurrent.each<[words: readonly string[], said: RegExp]>([
  [send, /^Waiting for http:\S+ to accept the key …\n$/],
  [['update', 'order-1', 'a.json'], /^Waiting for http:\S+ to apply the update …\n$/],
  [['check', '--json'], /^Waiting for echo of 127\S+ …\n$/],
  [['outbox', 'status'], /^Waiting for the outbox to open …\n$/],
  [[...send, '--api-key-command', 'node hangs.mjs'], /^Waiting for --api-key-command …\n$/],
])('%j says what it waits for', async (words, said) => {
  await using folder = await createFolder({ ...file, 'hangs.mjs': 'setInterval(() => {}, 1_000)' });
  await using server = createServer((socket) => socket.resume().on('error', () => {})).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const env = {
    ORDERS_BASE_URL: `http://127.0.0.1:${port}`,
    ORDERS_API_KEY: 'a key of this test',
    DATABASE_URL: `postgres://127.0.0.1:${port}/orders`,
  };
  await using running = startOrders(words, { cwd: folder.path, env });
  expect(await running.printed(/\n/, 'stderr')).toMatch(said);
});
