import { createServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { buildOrderUpdate } from '@orders/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { createOrdersClient, type OrdersClientOptions } from '../src/index.ts';
import { Agent } from '../src/undici.ts';
import { certifyServer, createAuthority } from './certificates.ts';
import { respondJson, startHttp2Server } from './http2-server.ts';
import { listenOnLoopback } from './loopback.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';

const authority = await createAuthority('Private authority');
const certificate = await certifyServer(authority);
const apiKey = 'swordfish-swordfish';
const retry = { maxAttempts: 1 };
const update = buildOrderUpdate();
const success = httpAnswer(200, {}, '{}');

test('a connection that the server ends after its response is not reused', async () => {
  await using server = await startRawServer((socket) => socket.end(success));
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, retry });
  for (let call = 0; call < 10; call += 1) {
    await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({ outcome: 'applied' });
  }
  expect(server.requests).toHaveLength(10);
});

test('an update lost on a kept connection is unknown and not resent, and the next one succeeds', async () => {
  await using server = await startRawServer((socket, _request, count) =>
    count === 2 ? socket.resetAndDestroy() : socket.write(success),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, retry: { maxAttempts: 3 } });
  await orders.updateOrder('order_1234', update);
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ code: 'connection_error', outcome: 'unknown', attemptCount: 1 });
  await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({ outcome: 'applied' });
  expect(server.requests).toHaveLength(3);
});

/** What a server does with one request and after how many turns; then the next call waits a few turns. */
interface Fate {
  readonly fate: string;
  readonly turns: number;
  readonly pause: number;
}

const fates = fc.array<Fate>(
  fc.record({
    fate: fc.constantFrom('respond', 'respond and end', 'respond and reset', 'end', 'reset'),
    turns: fc.nat(3),
    pause: fc.nat(3),
  }),
  { minLength: 2, maxLength: 8 },
);

async function after(turns: number, act: () => unknown): Promise<void> {
  for (let passed = 0; passed < turns; passed += 1) await turn();
  act();
}

function tokenIn(path: unknown): string {
  return String(path).slice('/v2/orders/'.length);
}

async function startEndingHttp1Server(given: ReadonlyMap<string, Fate>, seen: string[]) {
  return startRawServer((socket, request) => {
    const token = tokenIn(request.split(' ', 2)[1]);
    const { fate = '', turns = 0 } = given.get(token) ?? {};
    seen.push(token);
    if (fate.startsWith('respond')) socket.write(success);
    if (fate.endsWith('end')) void after(turns, () => socket.end());
    if (fate.endsWith('reset')) void after(turns, () => socket.resetAndDestroy());
  });
}

async function startEndingHttp2Server(given: ReadonlyMap<string, Fate>, seen: string[]) {
  const server = await startHttp2Server(certificate, (request) => {
    const token = tokenIn(request.headers[':path']);
    const { fate = '', turns = 0 } = given.get(token) ?? {};
    seen.push(token);
    if (fate.startsWith('respond')) respondJson(request);
    if (fate.endsWith('end')) void after(turns, () => request.session.destroy());
    if (fate.endsWith('reset')) void after(turns, () => server.drop());
  });
  return server;
}

test.each([
  ['HTTP/1.1', startEndingHttp1Server],
  ['HTTP/2', startEndingHttp2Server],
])('over %s every outcome is true, whenever connections end', async (_name, startServer) => {
  await fc.assert(
    fc.asyncProperty(fates, async (list) => {
      const given = new Map(list.map((fate, index) => [`order_${index}`, fate]));
      const outcomes = new Map<string, string>();
      const seen: string[] = [];
      await using server = await startServer(given, seen);
      const dispatcher = new Agent({ allowH2: true, connect: { ca: authority.cert } });
      await using orders = createOrdersClient({ baseUrl: server.url, apiKey, retry, dispatcher });
      for (const [token, { pause }] of given) {
        const { outcome } = await orders.safeUpdateOrder(token, update);
        outcomes.set(token, outcome);
        await after(pause, () => {});
      }
      for (const [token, outcome] of outcomes) {
        const times = seen.filter((one) => one === token).length;
        expect(['applied', 'unknown', 'not_sent']).toContain(outcome);
        if (outcome === 'applied') expect(given.get(token)?.fate).toMatch(/^respond/);
        expect(times).toBeLessThanOrEqual(outcome === 'not_sent' ? 0 : 1);
      }
    }),
    { numRuns: inFull ? 40 : 8 },
  );
});

interface IdleCase {
  readonly name: string;
  readonly idle?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections?: number;
  readonly options?: Partial<OrdersClientOptions>;
  readonly isSecure?: boolean;
}

const privateTls = { ca: authority.cert };

test.concurrent.each<IdleCase>([
  ...[
    { by: 'maxConnections', options: { maxConnections: 1 } },
    { by: 'tls', options: { tls: privateTls }, isSecure: true },
    { by: 'tls and maxConnections', options: { tls: privateTls, maxConnections: 1 }, isSecure: true },
  ].flatMap(({ by, ...given }) => [
    { name: `past timeouts.idle is not reused, with ${by}`, ...given },
    { name: `within timeouts.idle is reused, with ${by}`, idle: 600_000, connections: 1, ...given },
  ]),
  { name: 'within timeouts.idle is reused', idle: 600_000, headers: {}, connections: 1 },
  { name: 'past timeouts.idle is not reused' },
  {
    name: 'past timeouts.idle is not reused, whatever Keep-Alive allows',
    idle: 100,
    headers: { 'keep-alive': 'timeout=60' },
    connections: 2,
  },
  {
    name: 'that Keep-Alive announces to end within 2 s is not reused',
    idle: 600_000,
    headers: { 'keep-alive': 'timeout=2' },
    connections: 2,
  },
])(
  'an idle connection $name',
  async ({ idle = 100, headers = {}, connections = 2, options = {}, isSecure = false }) => {
    const respond = (socket: Socket) => socket.on('data', () => socket.write(httpAnswer(200, headers, '{}')));
    const server = isSecure ? createTlsServer(certificate, respond) : createServer(respond);
    await using listener = await listenOnLoopback(server);
    await using orders = createOrdersClient({
      baseUrl: `http${isSecure ? 's' : ''}://127.0.0.1:${listener.port}`,
      apiKey: 'swordfish-swordfish',
      timeouts: { idle },
      ...options,
    });
    await orders.updateOrder('order_1234', update);
    // A connection is idle from the turn after its response on.
    await turn();
    await delay(200);
    await orders.updateOrder('order_1234', update);
    expect(listener.connections).toBe(connections);
  },
);
