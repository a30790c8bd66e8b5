import { once } from 'node:events';
import { request } from 'node:http';
import process from 'node:process';
import { type MockOrderService, startMockOrderService } from '@orders/testing';
import { describe, expect, test } from 'vitest';
import { startServer } from './run-program.ts';

const chosen = '{"mug":2}';
const update = {
  cart: { items: [{ type: 'physical', sku: 'mug', name: 'Mug', unit_price: 12_900, quantity: 2 }] },
};

const refused = [
  '{"mug":-1}',
  '{"mug":"2"}',
  '{"mug":{"quantity":1,"unit_price":1}}',
  '{"mug":1,"unit_price":1}',
  '{"mug":1,"hooks":{"webhook_url":"https://attacker.example"}}',
  '{"cart":{"items":[{"sku":"mug","quantity":1,"unit_price":1}]}}',
  '{"no-such-product":1}',
  '{}',
  '[1]',
  '{"mug":',
];

const envOf = (service: MockOrderService) => ({
  ORDERS_BASE_URL: service.url,
  ORDERS_API_KEY: service.key,
  ORDER_TOKEN: service.token,
});

const post = (url: string, body: string, id = 'A-1001'): Promise<Response> =>
  fetch(`${url}/orders/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body,
  });

describe.each(['express.ts', 'hono.ts'])('%s', (file) => {
  // Windows kills a process at once instead of sending it a signal.
  const hasSignals = process.platform !== 'win32';

  test('sends the cart that the shop builds, reports each outcome, and after SIGTERM finishes what it sends', async () => {
    await using service = await startMockOrderService();
    await using server = await startServer(file, envOf(service));

    const applied = await post(server.url, chosen);
    expect([applied.status, await applied.json()]).toMatchObject([200, { message: 'Your change is saved.' }]);
    expect(service.appliedUpdates(service.token)).toEqual([update]);

    const invalid = await post(server.url, '{"mug":1.50721}');
    expect([invalid.status, await invalid.json()]).toMatchObject([
      422,
      { issues: [{ path: 'cart.items[0].quantity' }] },
    ]);
    expect((await post(server.url, chosen, 'A-9')).status).toBe(404);
    expect(server.printed()).toContain('validation_error');
    expect(server.printed()).not.toContain('1.50721');
    for (const body of refused) {
      const response = await post(server.url, body);
      // Without a stack trace.
      expect([body, response.status, await response.json()]).toEqual([
        body,
        expect.toBeOneOf([400, 422]),
        { message: 'Please check your input.' },
      ]);
    }
    expect(service.journal).toHaveLength(1);

    service.faults.always({ type: 'status', status: 429, headers: { 'retry-after': '1' } });
    const { status, headers } = await post(server.url, chosen);
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    service.faults.clear();

    if (!hasSignals) return;
    service.faults.next({ type: 'latency', ms: 500 });
    const last = post(server.url, chosen);
    await service.waitForRequests(service.journal.length + 1);
    server.child.kill('SIGTERM');
    expect((await last).status).toBe(200);
    expect(await server.ended).toBe(0);
  });

  test('refuses a body that is too large, and a type that another site can post', async () => {
    await using service = await startMockOrderService();
    await using server = await startServer(file, envOf(service));
    const text = await fetch(`${server.url}/orders/A-1001`, { method: 'POST', body: chosen });
    expect(text.status).toBe(file === 'hono.ts' ? 415 : 422);
    const headers = { 'content-type': 'application/json', 'content-length': 5 * 1_048_576 };
    const large = request(`${server.url}/orders/A-1001`, { method: 'POST', headers });
    // Express reads all of it before it responds; Hono only the head.
    if (file === 'hono.ts') large.flushHeaders();
    else large.end(' '.repeat(5 * 1_048_576));
    const [response] = await once(large, 'response');
    large.on('error', () => {}).destroy();
    expect(response.statusCode).toBe(413);
    expect(service.journal).toEqual([]);
  });

  test.skipIf(!hasSignals)(
    'after SIGINT aborts an update that takes too long, and logs its outcome',
    async () => {
      await using service = await startMockOrderService();
      await using server = await startServer(file, { ...envOf(service), GRACE_MS: '200' });
      service.faults.next({ type: 'stalled_headers' });
      const response = post(server.url, chosen);
      await service.waitForRequests(1);
      server.child.kill('SIGINT');
      expect((await response).status).toBe(202);
      expect(await server.ended).toBe(0);
      expect(server.printed()).toMatch(/"code":"aborted","outcome":"unknown"/);
    },
  );

  test('starts without a key, and logs that it is missing before anything is sent', async () => {
    await using service = await startMockOrderService();
    await using server = await startServer(file, { ...envOf(service), ORDERS_API_KEY: undefined });
    expect((await post(server.url, chosen)).status).toBe(500);
    expect(server.printed()).toMatch(/is the variable of apiKey set\?.*receipt/s);
    expect(service.journal).toEqual([]);
  });
});
