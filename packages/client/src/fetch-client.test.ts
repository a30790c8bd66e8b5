import { buildOrderUpdate } from '@orders/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { createOrdersClient } from './fetch.ts';
import type { OrdersClientOptions } from './options.ts';
import { Agent } from './undici.ts';

const options = { baseUrl: 'https://orders.example', apiKey: 'swordfish-swordfish' };
const update = buildOrderUpdate();

afterEach(() => vi.unstubAllGlobals());

/** Puts a fetch in the place of the runtime's that answers with success and keeps what it was given. */
function stubFetch() {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response(null, { status: 204 }));
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

test('the fetch of the runtime is looked up for each request', async () => {
  const orders = createOrdersClient(options);
  const fetch = stubFetch();
  await orders.updateOrder('order_1234', update);
  expect(fetch).toHaveBeenCalledOnce();
});

test('in Deno requests go through a client that keeps no connection, and close frees it', async () => {
  const close = vi.fn();
  const client = { close };
  const createHttpClient = vi.fn(() => client);
  vi.stubGlobal('Deno', { createHttpClient });
  const fetch = stubFetch();
  const orders = createOrdersClient(options);
  await orders.updateOrder('order_1234', update);
  expect(createHttpClient).toHaveBeenCalledWith({ poolMaxIdlePerHost: 0, http2: false });
  expect(fetch.mock.calls[0]?.[1]).toMatchObject({ client });
  await orders.close();
  expect(close).toHaveBeenCalledOnce();
});

test('a fetch that is no function is refused with a TypeError', () => {
  const wrong = { ...options, fetch: 'fetch' } as unknown as OrdersClientOptions;
  expect(() => createOrdersClient(wrong)).toThrow(TypeError);
});

test('it refuses to run where a page could show the key, unless told', () => {
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', {});
  expect(() => createOrdersClient(options)).toThrow(/browser/);
  expect(createOrdersClient({ ...options, dangerouslyAllowBrowser: true })).toBeDefined();
});

test.each<[string, Partial<OrdersClientOptions>]>([
  ['over fetch: unknown option "dispatcher"', { dispatcher: new Agent() }],
  ['over fetch: timeouts: unknown option "connect"', { timeouts: { connect: 1 } }],
  ['over fetch: timeouts: unknown option "idle"', { timeouts: { idle: 1 } }],
])('refuses what only undici has: %s', (message, option) => {
  expect(() => createOrdersClient({ ...options, ...option })).toThrow(TypeError);
  expect(() => createOrdersClient({ ...options, ...option })).toThrow(message);
});
