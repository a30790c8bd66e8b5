import { basic } from '@orders/auth';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, test, vi } from 'vitest';
import { createOrdersClient, type OrdersClientOptions } from '../src/index.ts';
import { EnvHttpProxyAgent } from '../src/undici.ts';
import { certifyServer, createAuthority } from './certificates.ts';
import { type Manner, startProxy } from './proxy.ts';
import { startTlsFront } from './tls-front.ts';

const authority = await createAuthority('Private authority');
const certificate = await certifyServer(authority);
const ca = authority.cert;
const update = buildOrderUpdate();

/** A dispatcher that sends everything through one proxy, loopback included. */
function through({ url }: { readonly url: string }) {
  const proxies = { httpProxy: url, httpsProxy: url, noProxy: '' };
  return new EnvHttpProxyAgent({ ...proxies, connect: { ca }, requestTls: { ca } });
}

/** Whether a text holds a key, plain or as it is sent. */
function holdsKey(text: string, key: string): boolean {
  return text.includes(key) || text.includes(basic(key).reveal().slice('Basic '.length));
}

test('an update to https goes through a tunnel: the proxy cannot read the key, nor the service the login', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, certificate);
  await using proxy = await startProxy();
  const dispatcher = through({ url: proxy.url.replace('//', '//merchant:proxy-pass@') });
  await using orders = createOrdersClient({ baseUrl: front.url, apiKey: service.key, dispatcher });
  await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({ outcome: 'applied' });
  expect(service.appliedUpdates('order_1234')).toEqual([update]);
  const headers = { 'proxy-authorization': `Basic ${btoa('merchant:proxy-pass')}` };
  expect(proxy.requests).toMatchObject([{ line: `CONNECT ${new URL(front.url).host}`, headers }]);
  expect(service.journal[0]?.headers).not.toHaveProperty('proxy-authorization');
  expect(proxy.requests[0]?.headers).not.toHaveProperty('authorization');
  expect(holdsKey(proxy.received(), service.key)).toBe(false);
  expect(proxy.received()).not.toContain('order_1234');
});

/** Sends an update through a proxy, in one attempt. */
async function updateThrough(
  proxy: { readonly url: string },
  { baseUrl, apiKey = 'swordfish-swordfish', timeouts = {} }: Partial<OrdersClientOptions>,
) {
  const dispatcher = through(proxy);
  const options = { apiKey, dispatcher, timeouts, retry: { maxAttempts: 1 } };
  await using orders = createOrdersClient({ baseUrl: baseUrl ?? 'https://127.0.0.1:1', ...options });
  return orders.safeUpdateOrder('order_1234', update);
}

test.each<[string, Manner, RegExp]>([
  ['refuses with 407', 407, /Proxy response \(407\)/],
  ['refuses with 502', 502, /Proxy response \(502\)/],
  ['hangs up', 'hang up', /Proxy Connection failed/],
])('an update to https through a proxy that %s is not sent', async (_name, manner, message) => {
  await using proxy = await startProxy(manner);
  const { error } = await updateThrough(proxy, {});
  expect(error).toMatchObject({ code: 'connection_error', outcome: 'not_sent', attemptCount: 1 });
  expect(error?.message).toMatch(message);
  expect(proxy.requests).toHaveLength(1);
  expect(holdsKey(proxy.received(), 'swordfish-swordfish')).toBe(false);
});

test('an update to https through a proxy that never responds times out while connecting, not sent', async () => {
  await using proxy = await startProxy('stall');
  const { error } = await updateThrough(proxy, { timeouts: { attempt: 100 } });
  expect(error).toMatchObject({ code: 'timeout', phase: 'connect', outcome: 'not_sent' });
});

test.each(['https', 'http'])('an update to %s through a proxy that is down is not sent', async (scheme) => {
  const proxy = await startProxy();
  await proxy[Symbol.asyncDispose]();
  const { error } = await updateThrough(proxy, { baseUrl: `${scheme}://127.0.0.1:1` });
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

test('an update to plain http is sent to the proxy whole, key included', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using proxy = await startProxy();
  const result = await updateThrough(proxy, { baseUrl: service.url, apiKey: service.key });
  expect(result).toMatchObject({ ok: true, outcome: 'applied' });
  expect(proxy.requests).toMatchObject([{ line: `PATCH ${service.url}/v2/orders/order_1234` }]);
  expect(holdsKey(proxy.received(), service.key)).toBe(true);
});

test.each([407, 502])('a plain http update whose proxy responds with %i is unknown', async (status) => {
  await using proxy = await startProxy(status);
  const { error } = await updateThrough(proxy, { baseUrl: 'http://127.0.0.1:1' });
  expect(error).toMatchObject({ outcome: 'unknown', attemptCount: 1 });
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
