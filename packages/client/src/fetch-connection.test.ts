import { buildOrderUpdate } from '@orders/testing';
import { afterEach, expect, expectTypeOf, test, vi } from 'vitest';
import type { OrdersClientOptions } from './fetch-connection.ts';
import { createOrdersClient } from './fetch-orders-client.ts';

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

test('options of undici do not compile', () => {
  expectTypeOf<OrdersClientOptions>().not.toHaveProperty('dispatcher');
  expectTypeOf<OrdersClientOptions>().toHaveProperty('fetch');
  // @ts-expect-error connecting is the runtime's
  const misuse: OrdersClientOptions = { ...options, timeouts: { connect: 1 } };
  expect(misuse).toBeDefined();
});
