import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { basic } from '@orders/auth';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, test, vi } from 'vitest';
import { createOrdersClient } from '../src/index.ts';
import { EnvHttpProxyAgent } from '../src/undici.ts';
import { certifyServer, createAuthority } from './certificates.ts';
import { type Manner, startProxy } from './proxy.ts';
import { startTlsFront } from './tls-front.ts';

const authority = await createAuthority('Private authority');
const certificate = await certifyServer(authority);
const ca = authority.cert;
const update = buildOrderUpdate();
const once = { maxAttempts: 1 } as const;

/** A dispatcher that sends everything through one proxy, loopback included. */
function through(proxy: { readonly url: string }, options: EnvHttpProxyAgent.Options = {}) {
  return new EnvHttpProxyAgent({
    httpProxy: proxy.url,
    httpsProxy: proxy.url,
    noProxy: '',
    connect: { ca },
    requestTls: { ca },
    ...options,
  });
}

/** Whether a text holds a key, plain or as it is sent. */
function holdsKey(text: string, key: string): boolean {
  return text.includes(key) || text.includes(basic(key).reveal().slice('Basic '.length));
}

test('an update to https goes through a tunnel in which the proxy cannot read the key', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, certificate);
  await using proxy = await startProxy();
  const dispatcher = through(proxy);
  await using orders = createOrdersClient({ baseUrl: front.url, apiKey: service.key, dispatcher });
  await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({ outcome: 'applied' });
  expect(service.appliedUpdates('order_1234')).toEqual([update]);
  expect(proxy.requests).toMatchObject([{ line: `CONNECT ${new URL(front.url).host}` }]);
  expect(proxy.requests[0]?.headers).not.toHaveProperty('authorization');
  expect(holdsKey(proxy.received(), service.key)).toBe(false);
  expect(proxy.received()).not.toContain('order_1234');
});

test('the credentials of the proxy reach the proxy and not the service', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, certificate);
  await using proxy = await startProxy();
  const dispatcher = through({ url: proxy.url.replace('//', '//merchant:proxy-pass@') });
  await using orders = createOrdersClient({ baseUrl: front.url, apiKey: service.key, dispatcher });
  await orders.updateOrder('order_1234', update);
  const login = `Basic ${btoa('merchant:proxy-pass')}`;
  expect(proxy.requests[0]?.headers).toMatchObject({ 'proxy-authorization': login });
  expect(service.journal[0]?.headers).not.toHaveProperty('proxy-authorization');
});

test.each<[string, Manner, RegExp]>([
  ['refuses with 407', 407, /Proxy response \(407\)/],
  ['refuses with 502', 502, /Proxy response \(502\)/],
  ['hangs up', 'hang up', /Proxy Connection failed/],
])('an update to https through a proxy that %s is not sent', async (_name, manner, message) => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, certificate);
  await using proxy = await startProxy(manner);
  const dispatcher = through(proxy);
  await using orders = createOrdersClient({
    baseUrl: front.url,
    apiKey: service.key,
    dispatcher,
    retry: once,
  });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({
    code: 'connection_error',
    outcome: 'not_sent',
    attemptCount: 1,
    message: expect.stringMatching(message),
  });
  expect(proxy.requests).toHaveLength(1);
  expect(holdsKey(proxy.received(), service.key)).toBe(false);
  expect(service.journal).toEqual([]);
});

test('an update to https through a proxy that never responds times out while connecting, not sent', async () => {
  await using proxy = await startProxy('stall');
  const dispatcher = through(proxy);
  await using orders = createOrdersClient({
    baseUrl: 'https://127.0.0.1:1',
    apiKey: 'swordfish-swordfish',
    dispatcher,
    retry: once,
    timeouts: { attempt: 100 },
  });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ code: 'timeout', phase: 'connect', outcome: 'not_sent' });
  await dispatcher.destroy();
});

test.each(['https', 'http'])('an update to %s through a proxy that is down is not sent', async (scheme) => {
  const { url } = await startProxy().then(async (proxy) => {
    await proxy[Symbol.asyncDispose]();
    return proxy;
  });
  await using orders = createOrdersClient({
    baseUrl: `${scheme}://127.0.0.1:1`,
    apiKey: 'swordfish-swordfish',
    dispatcher: through({ url }),
    retry: once,
  });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({
    code: 'connection_error',
    outcome: 'not_sent',
    cause: { code: 'ECONNREFUSED' },
  });
});

test('an update to a wrong server certificate behind a proxy is not sent', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, await certifyServer(authority, { host: 'shop.example' }));
  await using proxy = await startProxy();
  await using orders = createOrdersClient({
    baseUrl: front.url,
    apiKey: service.key,
    dispatcher: through(proxy),
    retry: once,
  });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({
    outcome: 'not_sent',
    attemptCount: 1,
    message: expect.stringMatching(/does not match certificate's altnames/),
  });
  expect(service.journal).toEqual([]);
});

test('an update to plain http is sent to the proxy whole, key included', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using proxy = await startProxy();
  const dispatcher = through(proxy);
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key, dispatcher });
  await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({ outcome: 'applied' });
  expect(proxy.requests).toMatchObject([{ line: `PATCH ${service.url}/v2/orders/order_1234` }]);
  expect(holdsKey(proxy.received(), service.key)).toBe(true);
});

test('an update to plain http goes through a tunnel with proxyTunnel', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using proxy = await startProxy();
  const dispatcher = through(proxy, { proxyTunnel: true });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key, dispatcher });
  await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({ outcome: 'applied' });
  expect(proxy.requests).toMatchObject([{ line: `CONNECT ${new URL(service.url).host}` }]);
  expect(proxy.requests[0]?.headers).not.toHaveProperty('authorization');
});

test.each([407, 502])('a plain http update whose proxy responds with %i is unknown', async (status) => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using proxy = await startProxy(status);
  const dispatcher = through(proxy);
  await using orders = createOrdersClient({
    baseUrl: service.url,
    apiKey: service.key,
    dispatcher,
    retry: once,
  });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ outcome: 'unknown', attemptCount: 1 });
  expect(service.journal).toEqual([]);
});

test('noProxy bypasses the proxy', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, certificate);
  await using proxy = await startProxy();
  const dispatcher = through(proxy, { noProxy: 'localhost,127.0.0.1' });
  await using orders = createOrdersClient({ baseUrl: front.url, apiKey: service.key, dispatcher });
  await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({ outcome: 'applied' });
  expect(proxy.requests).toEqual([]);
});

test('a client without a dispatcher option ignores the proxy of the environment', async () => {
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

const script = fileURLToPath(new URL('update-by-environment.ts', import.meta.url));

test.concurrent.each([
  ['uses the proxy of HTTPS_PROXY', {}, 1],
  ['bypasses it for the hosts of NO_PROXY', { NO_PROXY: '127.0.0.1' }, 0],
])('EnvHttpProxyAgent %s', async (_name, environment, tunnels) => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, certificate);
  await using proxy = await startProxy();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@orders/source', script, front.url, service.key, ca],
    { env: { HTTPS_PROXY: proxy.url, ...environment }, timeout: 15_000 },
  );
  expect(JSON.parse(stdout)).toEqual({ outcome: 'applied' });
  expect(service.ledger).toHaveLength(1);
  expect(proxy.requests).toHaveLength(tunnels);
});
