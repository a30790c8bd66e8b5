import { buildOrderUpdate } from '@orders/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { createOrdersClient } from './fetch.ts';
import type { OrdersClientOptions } from './options.ts';
import { Agent } from './undici.ts';

const options = { baseUrl: 'https://orders.example', apiKey: 'swordfish-swordfish' };
const update = buildOrderUpdate();

afterEach(() => vi.unstubAllGlobals());

/** Replaces the fetch of the runtime by one that responds with 204. */
function stubFetch() {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response(null, { status: 204 }));
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

test('looks up the fetch of the runtime for each request', async () => {
  const orders = createOrdersClient(options);
  const fetch = stubFetch();
  await orders.updateOrder('order_1234', update);
  expect(fetch).toHaveBeenCalledOnce();
});

test('in Deno, requests use an HTTP client without kept connections, which close() closes', async () => {
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

test('refuses a fetch that is no function', () => {
  const wrong = { ...options, fetch: 'fetch' } as unknown as OrdersClientOptions;
  expect(() => createOrdersClient(wrong)).toThrow(TypeError);
});

test.each<[string, Partial<OrdersClientOptions>]>([
  ['dispatcher', { dispatcher: new Agent() }],
  ['timeouts.connect', { timeouts: { connect: 1 } }],
  ['timeouts.idle', { timeouts: { idle: 1 } }],
])('refuses %s, which only undici has', (_name, option) => {
  expect(() => createOrdersClient({ ...options, ...option })).toThrow(
    new TypeError(
      'dispatcher, timeouts.connect, timeouts.idle: this client sends over fetch, which has none.',
    ),
  );
});
