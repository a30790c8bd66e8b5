import { createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { buildOrderUpdate } from '@orders/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOrdersClient, type OrdersClientOptions } from '../src/index.ts';
import { certifyServer, createAuthority } from './certificates.ts';
import { holdTime } from './hold-time.ts';
import { listenOnLoopback } from './loopback.ts';
import { published } from './published.ts';
import { httpAnswer } from './raw-server.ts';

const authority = await createAuthority('Authority of late-bytes.test.ts');
const certificate = await certifyServer(authority);
const update = buildOrderUpdate();
const schemes = ['http', 'https'] as const;

// The client's own agent is tested, so the authority is trusted as one of the system is.
const trusted = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...trusted, authority.cert]));
afterAll(() => setDefaultCACertificates(trusted));

/** Starts a server that passes each whole request to `respond` and records how its first connection ended. */
async function startServer(
  scheme: (typeof schemes)[number],
  respond: (socket: Socket, path: string) => void,
) {
  const ending = Promise.withResolvers<string | undefined>();
  const accept = (socket: Socket): void => {
    let received = '';
    socket.on('error', ({ code }: NodeJS.ErrnoException) => ending.resolve(code));
    socket.on('end', () => ending.resolve('end'));
    socket.on('data', (chunk) => {
      received += chunk;
      if (!received.endsWith(`\r\n\r\n${JSON.stringify(update)}`)) return;
      respond(socket, received.split(' ', 2)[1] ?? '');
      received = '';
    });
  };
  const server =
    scheme === 'https'
      ? createTlsServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, accept)
      : createTcpServer(accept);
  const listener = await listenOnLoopback(server);
  return {
    url: `${scheme}://127.0.0.1:${listener.port}`,
    /** `end` after an ordinary close, `ECONNRESET` after a reset. */
    ending: ending.promise,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

function openClient(baseUrl: string, options: Partial<OrdersClientOptions> = {}) {
  return createOrdersClient({
    baseUrl,
    apiKey: 'swordfish-swordfish',
    retry: { maxAttempts: 1 },
    ...options,
  });
}

const headOnly = httpAnswer(200, { 'content-length': '9' }, '{');

test.each(schemes)('a timeout resets the connection over %s', async (scheme) => {
  for (const [response, outcome] of [
    ['', 'unknown'],
    [headOnly, 'applied'],
  ]) {
    const arrived = Promise.withResolvers<void>();
    await using server = await startServer(scheme, (socket) => {
      socket.write(`${response}`);
      arrived.resolve();
    });
    using time = holdTime();
    const headRead = published('undici:request:headers');
    const orders = openClient(server.url);
    const call = orders.safeUpdateOrder('order_1234', update);
    await (response === '' ? arrived.promise : headRead);
    time.pass(15_000);
    const { error } = await call;
    await orders.close();
    expect(error).toMatchObject({ code: 'timeout', outcome });
    expect(await server.ending).toBe('ECONNRESET');
  }
});

test.concurrent.each(schemes)('an abort resets the connection over %s', async (scheme) => {
  const controller = new AbortController();
  // A little later, once the session tickets of TLS are written and read: they blur how a connection ends.
  await using server = await startServer(scheme, () => setTimeout(() => controller.abort(), 50));
  const orders = openClient(server.url);
  const { error } = await orders.safeUpdateOrder('order_1234', update, { signal: controller.signal });
  await orders.close();
  expect(error).toMatchObject({ code: 'aborted', outcome: 'unknown' });
  expect(await server.ending).toBe('ECONNRESET');
});

test.concurrent.each(schemes)(
  'an abort leaves the connection of another update open over %s',
  async (scheme) => {
    const controller = new AbortController();
    const waiting: Socket[] = [];
    await using server = await startServer(scheme, (socket) => {
      if (waiting.push(socket) === 2) controller.abort();
    });
    await using orders = openClient(server.url);
    const aborted = orders.safeUpdateOrder('order_1234', update, { signal: controller.signal });
    const other = orders.updateOrder('order_5678', update);
    expect((await aborted).error).toMatchObject({ code: 'aborted' });
    for (const socket of waiting) socket.write(httpAnswer(200, {}, '{}'));
    await expect(other).resolves.toMatchObject({ outcome: 'applied' });
  },
);

test.concurrent.each(schemes)('close ends an idle connection without a reset over %s', async (scheme) => {
  await using server = await startServer(scheme, (socket) => socket.write(httpAnswer(200, {}, '{}')));
  const orders = openClient(server.url);
  await orders.updateOrder('order_1234', update);
  await orders.close();
  expect(await server.ending).toBe('end');
});

test.concurrent.each(schemes)(
  '"Connection: close" ends the connection without a reset over %s',
  async (scheme) => {
    const last = httpAnswer(200, { connection: 'close' }, '{}');
    await using server = await startServer(scheme, (socket) => socket.write(last));
    await using orders = openClient(server.url);
    await orders.updateOrder('order_1234', update);
    expect(await server.ending).toBe('end');
  },
);
