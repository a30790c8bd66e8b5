import { networkInterfaces } from 'node:os';
import { basic } from '@orders/auth';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, test, vi } from 'vitest';
import { freePort } from '../../../.ci/free-ports.ts';
import { createOrdersClient, type OrdersClientOptions } from '../src/index.ts';
import { EnvHttpProxyAgent } from '../src/undici.ts';
import { certifyServer, createAuthority } from './certificates.ts';
import { holdTime } from './hold-time.ts';
import { type Manner, startProxy } from './proxy.ts';
import { startRawServer } from './raw-server.ts';
import { startTlsFront } from './tls-front.ts';

const authority = await createAuthority('Private authority');
const certificate = await certifyServer(authority);
const tls = { ca: authority.cert };
const update = buildOrderUpdate();

/** Whether a text holds a key, plain or as it is sent. */
function holdsKey(text: string, key: string): boolean {
  return text.includes(key) || text.includes(basic(key).reveal().slice('Basic '.length));
}

test('an update to https goes through a tunnel: the proxy cannot read the key, nor the service the login', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, certificate);
  await using proxy = await startProxy();
  const login = proxy.url.replace('//', '//merchant:proxy%2Dp%C3%A4ss@');
  await using orders = createOrdersClient({ baseUrl: front.url, apiKey: service.key, proxy: login, tls });
  await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({ outcome: 'applied' });
  expect(service.appliedUpdates('order_1234')).toEqual([update]);
  const headers = { 'proxy-authorization': `Basic ${Buffer.from('merchant:proxy-päss').toString('base64')}` };
  expect(proxy.requests).toMatchObject([{ line: `CONNECT ${new URL(front.url).host}`, headers }]);
  expect(service.journal[0]?.headers).not.toHaveProperty('proxy-authorization');
  expect(proxy.requests[0]?.headers).not.toHaveProperty('authorization');
  expect(holdsKey(proxy.received(), service.key)).toBe(false);
  expect(proxy.received()).not.toContain('order_1234');
});

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

test.runIf(hasIPv6)('a proxy may have an IPv6 address, and a login', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using proxy = await startProxy({ login: 'a@b:c/d %' }, '::1');
  const url = proxy.url.replace('//', '//a%40b:c%2Fd%20%25@');
  const result = await updateThrough({ url }, { baseUrl: service.url, apiKey: service.key });
  expect(result).toMatchObject({ outcome: 'applied', ok: true });
});

test.each(['http', 'https'])('an update to %s at an IPv6 address goes through a proxy', async (scheme) => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, certificate);
  await using proxy = await startProxy();
  const { port } = new URL(scheme === 'http' ? service.url : front.url);
  const baseUrl = `${scheme}://[::1]:${port}`;
  const result = await updateThrough(proxy, { baseUrl, apiKey: service.key });
  expect(result).toMatchObject({ outcome: 'applied', ok: true });
  expect(proxy.requests).toMatchObject([{ line: `CONNECT [::1]:${port}` }]);
});

/** Sends an update through a proxy, in one attempt. */
async function updateThrough(
  proxy: { readonly url: string },
  { baseUrl, apiKey = 'swordfish-swordfish', timeouts = {} }: Partial<OrdersClientOptions>,
) {
  const options = { apiKey, proxy: proxy.url, tls, timeouts, retry: { maxAttempts: 1 } };
  await using orders = createOrdersClient({ baseUrl: baseUrl ?? 'https://127.0.0.1:1', ...options });
  return orders.safeUpdateOrder('order_1234', update);
}

test.each<[name: string, Manner, retryable: boolean, RegExp]>([
  ['asks for a password', 407, false, /status 407\. Write its user and password in the URL of proxy/],
  ['refuses the address', 403, false, /the proxy refused the connection with status 403/],
  ['redirects', 302, false, /the proxy refused the connection with status 302/],
  ['cannot reach the service', 503, true, /the proxy refused the connection with status 503/],
  ['has too much to do', 429, true, /the proxy refused the connection with status 429/],
  ['hangs up', 'hang up', true, /socket hang up|ECONNRESET/],
])('an update through a proxy that %s is not sent', async (_name, manner, retryable, message) => {
  for (const baseUrl of ['https://127.0.0.1:1', 'http://127.0.0.1:1']) {
    await using proxy = await startProxy(manner);
    const { error } = await updateThrough(proxy, { baseUrl });
    expect(error).toMatchObject({
      code: 'connection_error',
      outcome: 'not_sent',
      attemptCount: 1,
      retryable,
    });
    expect(error?.message).toMatch(message);
    expect(proxy.requests).toMatchObject([{ line: 'CONNECT 127.0.0.1:1' }]);
    expect(holdsKey(proxy.received(), 'swordfish-swordfish')).toBe(false);
  }
});

test.each([
  ['a body', 'content-length: 5\r\n\r\nhello'],
  ['a response', '\r\nHTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n'],
  ['a banner', '\r\nSSH-2.0-OpenSSH_9\r\n'],
])('a tunnel that begins with %s is one failed connection, and nothing is sent', async (_name, bytes) => {
  for (const baseUrl of ['https://127.0.0.1:1', 'http://127.0.0.1:1']) {
    await using proxy = await startRawServer((socket) => socket.write(`HTTP/1.1 200 OK\r\n${bytes}`));
    const { error } = await updateThrough(proxy, { baseUrl });
    expect(error).toMatchObject({ code: 'connection_error', outcome: 'not_sent', retryable: true });
    expect(error?.message).toContain('bytes came from the proxy before a request');
    expect(proxy.connections).toBe(1);
  }
});

test.each(['https', 'http'])('a tunnel to %s that ends at once is one failed connection', async (scheme) => {
  await using proxy = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  const { error } = await updateThrough(proxy, { baseUrl: `${scheme}://127.0.0.1:1` });
  expect(error).toMatchObject({ code: 'connection_error', attemptCount: 1 });
  expect(proxy.connections).toBe(1);
});

test.each([{ attempt: 100 }, { connect: 100 }])(
  'an update through a proxy that never responds times out while connecting, not sent: %o',
  async (timeouts) => {
    await using proxy = await startProxy('stall');
    const { error } = await updateThrough(proxy, { timeouts });
    expect(error).toMatchObject({ code: 'timeout', phase: 'connect', outcome: 'not_sent' });
    expect(await proxy.ending).toBe('end');
  },
);

test.each(['https', 'http'])('an update to %s through a proxy that is down is not sent', async (scheme) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { error } = await updateThrough({ url }, { baseUrl: `${scheme}://127.0.0.1:1` });
  expect(error).toMatchObject({ code: 'connection_error', outcome: 'not_sent' });
  expect(error?.cause).toMatchObject({ code: 'ECONNREFUSED' });
});

test('an update to a wrong server certificate behind a proxy is not sent', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, await certifyServer(authority, { host: 'shop.example' }));
  await using proxy = await startProxy();
  const { error } = await updateThrough(proxy, { baseUrl: front.url, apiKey: service.key });
  expect(error).toMatchObject({ outcome: 'not_sent', attemptCount: 1 });
  expect(error?.message).toMatch(/The certificate is that of another host/);
  expect(service.journal).toEqual([]);
});

test.each(['http', 'https'])('a timeout resets the tunnel of an update to %s', async (scheme) => {
  const arrived = Promise.withResolvers<void>();
  await using server = await startRawServer(() => arrived.resolve());
  await using front = await startTlsFront(server, certificate);
  await using proxy = await startProxy();
  using time = holdTime();
  const call = updateThrough(proxy, { baseUrl: scheme === 'http' ? server.url : front.url });
  await arrived.promise;
  time.pass(15_000);
  const { error } = await call;
  expect(error).toMatchObject({ code: 'timeout', phase: 'headers', outcome: 'unknown' });
  expect(await proxy.ending).toBe('ECONNRESET');
});

test('close ends the tunnel of an idle connection without a reset', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using proxy = await startProxy();
  const result = await updateThrough(proxy, { baseUrl: service.url, apiKey: service.key });
  expect(result).toMatchObject({ ok: true, outcome: 'applied' });
  expect(await proxy.ending).toBe('end');
});

test.each<[string, unknown]>([
  ['no URL', 'proxy.internal:3128'],
  ['an https URL', 'https://proxy.internal'],
  ['a path', 'http://proxy.internal/path'],
  ['a password that is not encoded', 'http://merchant:%zz@proxy.internal'],
  ['nothing', ''],
  ["axios's object", { host: 'proxy.internal' }],
])('createOrdersClient refuses a proxy with %s', (_name, proxy) => {
  const create = () =>
    createOrdersClient({ baseUrl: 'https://127.0.0.1', apiKey: 'swordfish', proxy: proxy as never });
  expect(create).toThrow(/^proxy: /);
  expect(create).not.toThrow(/%zz|merchant/);
});

test('a dispatcher brings its own connections: tls, proxy and maxConnections beside it are refused', () => {
  const own = { baseUrl: 'https://127.0.0.1', apiKey: 'swordfish', dispatcher: new EnvHttpProxyAgent() };
  for (const option of [{ tls }, { proxy: 'http://127.0.0.1:1' }, { maxConnections: 1 }])
    expect(() => createOrdersClient({ ...own, ...option })).toThrow('dispatcher has connections of its own');
});

test('a plain http update whose proxy responds with 407 to the dispatcher of the user is unknown', async () => {
  await using proxy = await startProxy(407);
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: proxy.url, noProxy: '' });
  await using orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'swordfish', dispatcher });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ outcome: 'unknown', attemptCount: 1 });
  await dispatcher.close();
});

test('a client without the option ignores the proxy of the environment', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using proxy = await startProxy();
  vi.stubEnv('HTTP_PROXY', proxy.url).stubEnv('http_proxy', proxy.url);
  try {
    await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
    await orders.updateOrder('order_1234', update);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(proxy.requests).toEqual([]);
});
