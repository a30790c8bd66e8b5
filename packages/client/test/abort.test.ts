import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { basic } from '@orders/auth';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { insideTestLimitMs } from '../../../.ci/limits.ts';
import { createOrdersClient } from '../src/index.ts';
import { certifyServer, createAuthority } from './certificates.ts';
import { startFullBacklog } from './full-backlog.ts';
import { startHttp2Server } from './http2-server.ts';
import { listenOnLoopback } from './loopback.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';
import { startTlsFront } from './tls-front.ts';

const authority = await createAuthority('Private authority');
const certificate = await certifyServer(authority);
const apiKey = 'swordfish-swordfish';
const update = buildOrderUpdate();

const silent = () => startRawServer(() => {});
const responding = (response: string) => startRawServer((socket) => socket.write(response));

async function mute() {
  const listener = await listenOnLoopback(createServer());
  return Object.assign(listener, { url: `https://127.0.0.1:${listener.port}` });
}

const stages = [
  ['queued in its lane', silent, 'not_sent', 0],
  ['held by the rate limit', () => responding(httpAnswer(200, {}, '{}')), 'not_sent', 0],
  ['held by beforeAttempt', silent, 'not_sent', 0],
  ['waiting for its credentials', silent, 'not_sent', 1],
  ['connecting', startFullBacklog, 'not_sent', 1],
  ['shaking hands', mute, 'not_sent', 1],
  ['sent', silent, 'unknown', 1],
  ['sent over HTTP/2', () => startHttp2Server(certificate, () => {}), 'unknown', 1],
  ['reading the response', () => responding(httpAnswer(200, { 'content-length': '9' }, '{')), 'applied', 1],
  ['checking the response', () => responding(httpAnswer(200, {}, '{}')), 'applied', 1],
  ['waiting between attempts', () => responding(httpAnswer(429, { 'retry-after': '300' })), 'rejected', 1],
] as const;

test('an abort at any stage settles at once with the right outcome, and leaves nothing that keeps Node alive', async () => {
  await using servers = new AsyncDisposableStack();
  const urls: Record<string, string> = {};
  for (const [stage, serve] of stages) urls[stage] = servers.use(await serve()).url;
  const script = fileURLToPath(new URL('abort-at-stage.ts', import.meta.url));
  const given = ['--conditions=@orders/source', script, JSON.stringify(urls), authority.cert];
  // What an abort leaves keeps the process alive until it is killed.
  const { stdout } = await promisify(execFile)(process.execPath, given, { timeout: insideTestLimitMs });
  const expected = stages.map(([stage, , outcome, attemptCount]) => [
    stage,
    {
      settledAtOnce: true,
      code: 'aborted',
      outcome,
      attemptCount,
      hasReason: true,
      listenersLeft: 0,
      keepsAlive: [],
    },
  ]);
  expect(JSON.parse(stdout)).toEqual(Object.fromEntries(expected));
});

test('close ends the handshake of an aborted call', async () => {
  const server = createServer();
  await using listener = await listenOnLoopback(server);
  const orders = createOrdersClient({
    baseUrl: `https://127.0.0.1:${listener.port}`,
    apiKey,
    timeouts: { connect: 60_000 },
  });
  const controller = new AbortController();
  const call = orders.safeUpdateOrder('order_1234', update, { signal: controller.signal });
  const [socket]: Socket[] = await once(server, 'connection');
  const ended = once(socket?.resume() ?? server, 'close');
  controller.abort();
  expect((await call).error).toMatchObject({ code: 'aborted', outcome: 'not_sent' });
  await orders.close();
  await ended;
});

test('an abort leaves a connection open that another call waits for', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, certificate);
  const gate = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(front.url).port), '127.0.0.1').on('error', () => {});
    socket.on('close', () => onward.destroy());
    void gate.promise.then(() => socket.pipe(onward).pipe(socket));
  });
  await using listener = await listenOnLoopback(server);
  await using orders = createOrdersClient({
    baseUrl: `https://127.0.0.1:${listener.port}`,
    apiKey,
    retry: { maxAttempts: 1 },
  });
  const controller = new AbortController();
  const aborted = orders.safeUpdateOrder('order_1234', update, { signal: controller.signal });
  const waiting = orders.safeUpdateOrder('order_5678', update);
  while (listener.connections < 2) await once(server, 'connection');
  controller.abort();
  expect((await aborted).error).toMatchObject({ code: 'aborted', outcome: 'not_sent' });
  gate.resolve();
  // The client does not trust the authority: that it saw the certificate is the point.
  expect((await waiting).error).toMatchObject({ cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' } });
});

test('nothing is sent when the signal fires while credentials are read', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  const controller = new AbortController();
  const credentials = () => {
    controller.abort(new Error('enough'));
    return basic(service.key);
  };
  await using orders = createOrdersClient({ baseUrl: service.url, credentials });
  const { error } = await orders.safeUpdateOrder('order_1234', update, { signal: controller.signal });
  expect(error).toMatchObject({ code: 'aborted', outcome: 'not_sent', cause: { message: 'enough' } });
  expect(service.journal).toEqual([]);
});

test('a signal that fires just as the lane becomes free ends the update, and nothing is sent when it is not_sent', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  for (let steps = 0; steps < 20; steps += 1) {
    await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
    const controller = new AbortController();
    const first = orders.updateOrder('order_1234', update);
    const second = orders.safeUpdateOrder('order_1234', update, { signal: controller.signal });
    await first;
    for (let passed = 0; passed < steps; passed += 1) await null;
    controller.abort(new Error('enough'));
    const before = service.ledger.length;
    const { error } = await second;
    expect(error).toMatchObject({ code: 'aborted', cause: { message: 'enough' } });
    await orders.close();
    expect(service.ledger.length - before).toBeLessThanOrEqual(error?.outcome === 'not_sent' ? 0 : 1);
  }
});
