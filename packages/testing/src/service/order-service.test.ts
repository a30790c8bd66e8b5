import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { inspect, promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openSocket, readAll } from '../../test/open-socket.ts';
import { rawUpdate } from '../../test/raw-update.ts';
import { ECHO_PATH, send } from '../../test/send.ts';
import { createOrderService, startOrderService } from './order-service.ts';
import type { CreateOrderServiceOptions, StartOrderServiceOptions } from './order-service-options.ts';

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

test('listens on loopback and says where', async () => {
  await using service = await startOrderService();
  expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await send(service)).status).toBe(200);
});

test.runIf(hasIPv6)('names an IPv6 address as a URL does', async () => {
  await using service = await startOrderService({ host: '::1' });
  expect(service.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await send(service)).status).toBe(200);
});

test('names an address to call when it listens on all', async () => {
  await using service = await startOrderService({ host: '0.0.0.0' });
  expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test('listens on the port it is given, and rejects when that is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(startOrderService({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  other.close();
  await once(other, 'close');
  await using service = await startOrderService({ port });
  expect(service.url).toBe(`http://127.0.0.1:${port}`);
});

test.each<[string, StartOrderServiceOptions]>([
  ['an empty host', { host: '' }],
  ['no orders', { orders: 0 }],
  ['no keys', { keys: [] }],
  ['a negative latency', { latencyMs: -1 }],
  ['a latency that no timer can hold', { latencyMs: 2 ** 31 }],
  ['a fractional size', { maxBodyBytes: 1.5 }],
])('refuses to start with %s', async (_, options) => {
  await expect(startOrderService(options)).rejects.toThrow(TypeError);
});

test.each<[string, unknown, string]>([
  ['ordres', { ordres: 1 }, 'startOrderService: unknown option "ordres". Did you mean "orders"?'],
  ['choices.error', { choices: { error: {} } }, 'choices: unknown option "error". Did you mean "errorBody"?'],
  [
    'choices.statuses.order_update',
    { choices: { statuses: { order_update: 202 } } },
    'choices.statuses: unknown option "order_update". Did you mean "order_updated"?',
  ],
  [
    'orders[0].dta',
    { orders: [{ token: 'a', dta: {} }] },
    'orders: unknown option "dta". Known: token, data.',
  ],
  [
    'faults[0].prob',
    { faults: [{ when: 'sometimes', play: { fault: 'none' }, prob: 0.5 }] },
    'sometimes: unknown option "prob". Did you mean "probability"?',
  ],
  [
    'faults[0].play.header',
    { faults: [{ when: 'always', play: { fault: 'status', status: 503, header: {} } }] },
    'The fault status: unknown option "header". Did you mean "headers"?',
  ],
  [
    'webhooks.retries',
    { webhooks: { retries: 3 } },
    'webhooks: unknown option "retries". Did you mean "retryDelayMs"?',
  ],
])('refuses the unknown option %s and names the one meant', async (_, options, message) => {
  const started = startOrderService(options as StartOrderServiceOptions);
  // A service that does start must not outlive the test.
  started.then((service) => service.close()).catch(() => {});
  await expect(started).rejects.toThrow(new TypeError(message));
  const inMemory = message.replace('startOrderService', 'createOrderService');
  expect(() => createOrderService(options as CreateOrderServiceOptions)).toThrow(new TypeError(inMemory));
});

test('numbers the answers, and names them in ledger and journal alike', async () => {
  await using service = await startOrderService();
  const answers = [await send(service), await send(service, { key: 'unknown' }), await send(service)];
  expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual(['req_1', 'req_2', 'req_3']);
  expect(service.journal.map(({ requestId }) => requestId)).toEqual(['req_1', 'req_2', 'req_3']);
  expect(service.ledger.map(({ requestId }) => requestId)).toEqual(['req_1', 'req_3']);
});

test('enters what was applied into the ledger, in order, by its own clock', async () => {
  let time = 1000;
  await using service = await startOrderService({ orders: ['a'], now: () => time++ });
  await send(service, { body: { cart: {}, order_id: 'x' } });
  await send(service, { body: { cart: {}, order_id: 'y' } });
  expect(service.ledger).toEqual([
    { requestId: 'req_1', token: 'a', body: { cart: {}, order_id: 'x' }, at: 1001, revision: 1 },
    { requestId: 'req_2', token: 'a', body: { cart: {}, order_id: 'y' }, at: 1004, revision: 2 },
  ]);
});

test('applies at once and holds the answer back for the latency', async () => {
  await using service = await startOrderService({ latencyMs: 60_000 });
  const aborted = expect(send(service)).rejects.toThrow();
  await service.received(1);
  expect(service.ledger).toHaveLength(1);
  expect(service.journal[0]?.status).toBeUndefined();
  await service.close();
  await aborted;
});

test('lets its process end once it is closed, even with an answer held back', async () => {
  const script = `
    import { startOrderService } from '@orders/testing';
    const service = await startOrderService({ latencyMs: 60_000 });
    const cut = fetch(service.url).catch(() => 'cut');
    await service.received(1);
    await service.close();
    process.exitCode = (await cut) === 'cut' ? 0 : 1;
  `;
  const flags = ['--conditions=@orders/source', '--input-type=module-typescript', '--eval', script];
  const ended = promisify(execFile)(process.execPath, flags, { timeout: 10_000 });
  await expect(ended).resolves.toEqual({ stdout: '', stderr: '' });
});

test('answers after the latency', async () => {
  await using service = await startOrderService({ latencyMs: 30 });
  const begin = performance.now();
  expect((await send(service)).status).toBe(200);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(25);
});

test('tells of each request just before its answer', async () => {
  const told: unknown[] = [];
  await using service = await startOrderService({
    onRequest: ({ status, path }) => told.push([status, path]),
  });
  await send(service, { method: 'GET', path: ECHO_PATH });
  expect(told).toEqual([[200, ECHO_PATH]]);
});

test('tells of a request that ends without an answer too, once', async () => {
  const told: unknown[] = [];
  await using service = await startOrderService({
    onRequest: ({ requestId, status, complete }) => told.push([requestId, status, complete]),
  });
  const kinds = ['reset_before_body', 'reset_before_applying', 'stalled_headers', 'garbage'] as const;
  service.faults.next(kinds.map((fault) => ({ fault })));
  const sockets = await Promise.all(kinds.map(() => openSocket(service)));
  for (const [index, socket] of sockets.entries()) {
    socket.write(rawUpdate(service));
    await service.received(index + 1);
  }
  const half = await openSocket(service);
  half.write(rawUpdate(service).slice(0, -1));
  half.end();
  await service.received(5);
  expect(told).toEqual([
    ['req_1', undefined, false],
    ['req_2', undefined, true],
    ['req_3', undefined, true],
    ['req_4', undefined, true],
    ['req_5', undefined, false],
  ]);
});

test('closes at once under idle, silent and half-sent connections', async () => {
  const service = await startOrderService();
  await send(service);
  const [silent, half] = [await openSocket(service), await openSocket(service)];
  half.write('PATCH /v2/orders/x HTTP/1.1\r\ncontent-length: 5\r\n');
  const ends = [readAll(silent), readAll(half)];
  const begin = performance.now();
  await service.close();
  expect(performance.now() - begin).toBeLessThan(1000);
  expect(await Promise.all(ends)).toEqual(['', '']);
  await expect(send(service)).rejects.toThrow();
});

test('can be closed twice', async () => {
  const service = await startOrderService();
  await Promise.all([service.close(), service.close()]);
  await service[Symbol.asyncDispose]();
});

test('answers what is not HTTP with 400, a request id and the shape of every refusal', async () => {
  await using service = await startOrderService();
  const socket = await openSocket(service);
  socket.write('hello\r\n\r\n');
  const answer = await readAll(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toContain('x-request-id: req_1\r\n');
  expect(answer).toMatch(/\{"error":\{"code":"request_malformed","message":"[^"]+"\}\}$/);
});

test('answers headers beyond measure with 431', async () => {
  await using service = await startOrderService();
  const socket = await openSocket(service);
  socket.write(`GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`);
  expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 431 /);
});

test('does not show its key when inspected', async () => {
  await using service = await startOrderService({ keys: ['sekret'] });
  expect(inspect(service)).not.toContain('sekret');
});
