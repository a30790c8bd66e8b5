import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import process from 'node:process';
import { expect, test } from 'vitest';
import { startHere } from './run-here.ts';
import { createFolder, runOrders } from './run-orders.ts';

const file = { 'a.json': '{"cart":{"items":[]}}', 'rows.csv': 'token,cart.items[0].sku\norder-1,MUG\n' };
const send = ['send', './rows.csv', '--json'];

/** Each command while what it needs does not answer, and what it says that it waits for. */
test.skipIf(process.platform === 'win32').concurrent.each<[words: readonly string[], said: RegExp]>([
  [send, /^Waiting for http:\S+ to accept the key …$/m],
  [['update', 'order-1', './a.json'], /^Waiting for http:\S+ to apply the update …$/m],
  [['check', '--json'], /^Waiting for echo of 127\S+ …$/m],
  [['outbox', 'status'], /^Waiting for the outbox to open …$/m],
  [[...send, '--api-key-command', 'cat pipe'], /^Waiting for --api-key-command …$/m],
  [['check', '--api-key-file', './pipe'], /^Waiting for --api-key-file …$/m],
  [['check', '--config', './hangs.mjs'], /^Waiting for --config \S+hangs.mjs to load …$/m],
  [['validate', './rows.csv', '--schema', './hangs.mjs'], /^Waiting for --schema \S+hangs.mjs to load …$/m],
  [['validate', './pipe'], /^Waiting for the end of \S+pipe …$/m],
  [['update', 'order-1', './pipe'], /^Waiting for the end of \S+pipe …$/m],
  [['trigger', 'paid'], /^Waiting for the endpoint to respond …$/m],
  [['trigger', 'paid', '--late', '3s'], /^Waiting for the last delivery of each event, 3 s …$/m],
  [['judge', '--case', 'slow', '--limit', '1h', '--', 'sleep', '600'], /^Waiting for the case slow …$/m],
])('%j says what it waits for', async (words, said) => {
  const end = randomUUID();
  const hanging = `await new Promise((resolve) => process.once('${end}', resolve));`;
  await using folder = await createFolder({ ...file, 'hangs.mjs': hanging });
  const pipe = folder.file('pipe');
  // It has no writer.
  execFileSync('mkfifo', [pipe]);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.resume().on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const env = {
    ORDERS_API_KEY: 'a key of this test',
    DATABASE_URL: `postgres://127.0.0.1:${port}/orders`,
  };
  const flag = { send: '--base-url', update: '--base-url', check: '--base-url', trigger: '--forward-to' };
  const name = flag[words[0] as keyof typeof flag];
  const url = name ? [name, `http://127.0.0.1:${port}`] : [];
  const running = startHere([...words.map((word) => word.replace('cat pipe', `cat ${pipe}`)), ...url], {
    folder,
    env,
  });
  // A busy machine makes it wait for other things, too.
  expect(await running.printed(said, 'stderr')).toMatch(said);
  // What it waits for ends.
  server.close();
  for (const socket of sockets) socket.destroy();
  if (words.some((word) => word.endsWith('pipe'))) writeFileSync(pipe, '');
  process.emit(end as never);
  running.signal('SIGTERM');
  await running.ended;
});

/** What becomes of the update of a service that accepts the key, and what the run shows meanwhile. */
test.concurrent.each<[what: string, shown: RegExp]>([
  ['no response', /^0 of 1 row \(0 %\) {2}waiting for 1 response$/m],
  ['a 429', /^0 of 1 row \(0 %\) {2}paused for 5\d min \d+ s by a 429$/m],
  ['no connection', /^0 of 1 row \(0 %\) {2}waiting to reach the service$/m],
])('a run shows that it waits because of %s', async (what, shown) => {
  // No run ends before it has shown that.
  await using folder = await createFolder({ ...file, 'config.json': '{"retry":{"maxAttempts":100}}' });
  const server = createHttpServer((request, response) => {
    response.setHeader('content-type', 'application/json').setHeader('connection', 'close');
    if (request.method === 'GET') {
      response.end('{}');
      if (what === 'no connection') server.close();
    } else if (what === 'a 429') response.writeHead(429, { 'retry-after': '3600' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const env = { ORDERS_API_KEY: 'a key of this test' };
  const words = [
    ...send,
    '--base-url',
    `http://127.0.0.1:${port}`,
    '--config',
    './config.json',
    '--timeout',
    '9m',
  ];
  await using running = startHere(words, { folder, env });
  expect(await running.printed(shown, 'stderr')).toMatch(shown);
  server.close().closeAllConnections();
});

test('a module that can never load ends the command with an error', async () => {
  await using folder = await createFolder({ ...file, 'never.mjs': 'await new Promise(() => {})' });
  const { code, stdout, stderr } = await runOrders(['check', '--config', 'never.mjs', '--json'], {
    cwd: folder.path,
    env: { ORDERS_API_KEY: 'a key of this test' },
  });
  expect([code, JSON.parse(stdout)]).toEqual([
    3,
    { error: { code: 'failed', message: expect.stringMatching(/will never come/) } },
  ]);
  expect(stderr).toMatch(/^orders: What the command waits for will never come/);
});
