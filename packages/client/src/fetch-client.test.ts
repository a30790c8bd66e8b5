import { afterEach, expect, test, vi } from 'vitest';
import { createOrdersClient } from './fetch.ts';

afterEach(() => vi.unstubAllGlobals());

test('in Deno, requests use an HTTP client without kept connections, which close() closes', async () => {
  const close = vi.fn();
  const client = { close };
  const createHttpClient = vi.fn(() => client);
  vi.stubGlobal('Deno', { createHttpClient });
  const orders = createOrdersClient({ baseUrl: 'https://orders.example', apiKey: 'swordfish-swordfish' });
  // Stubbed only now, since the fetch of the runtime is looked up for each request.
  const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response(null, { status: 204 }));
  vi.stubGlobal('fetch', fetch);
  await orders.echo();
  expect(createHttpClient).toHaveBeenCalledWith({ poolMaxIdlePerHost: 0, http2: false });
  expect(fetch.mock.calls[0]?.[1]).toMatchObject({ client });
  await orders.close();
  expect(close).toHaveBeenCalledOnce();
});
