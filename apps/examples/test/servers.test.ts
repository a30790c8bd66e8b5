import process from 'node:process';
import { type OrderService, startOrderService } from '@orders/testing';
import { describe, expect, test } from 'vitest';
import { startServer } from './run-program.ts';

const update = { cart: { items: [{ sku: 'mug', quantity: 2 }] } };

const envOf = (service: OrderService) => ({
  ORDERS_URL: service.url,
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
  test('sends the update of its own order and reports the outcome', async () => {
    await using service = await startOrderService();
    await using server = await startServer(file, envOf(service));

    const applied = await post(server.url, JSON.stringify(update));
    expect([applied.status, await applied.json()]).toMatchObject([200, { message: 'Your change is saved.' }]);
    expect(service.appliedTo(service.token)).toEqual([update]);

    const invalid = await post(server.url, '{"cart":{"items":[{"quantity":0.5}]}}');
    expect([invalid.status, await invalid.json()]).toMatchObject([
      422,
      { issues: [{ path: 'cart.items[0].quantity' }] },
    ]);
    expect((await post(server.url, '{"cart":')).status).toBeOneOf([400, 422]);
    expect((await post(server.url, '{}', 'A-9')).status).toBe(404);
    expect(service.journal).toHaveLength(1);
  });

  test('starts without a key, and fails without one before anything is sent', async () => {
    await using service = await startOrderService();
    await using server = await startServer(file, { ...envOf(service), ORDERS_API_KEY: undefined });
    expect((await post(server.url, JSON.stringify(update))).status).toBe(500);
    expect(service.journal).toEqual([]);
  });

  // Windows kills a process at once instead of sending it a signal.
  describe.skipIf(process.platform === 'win32')('SIGTERM', () => {
    test('lets the update in progress finish, and the process ends by itself', async () => {
      await using service = await startOrderService();
      await using server = await startServer(file, envOf(service));
      service.faults.next({ fault: 'latency', ms: 500 });
      const response = post(server.url, JSON.stringify(update));
      await service.received(1);
      server.child.kill('SIGTERM');
      expect((await response).status).toBe(200);
      expect(await server.ended).toBe(0);
    });

    test('aborts an update that takes too long, and logs its outcome', async () => {
      await using service = await startOrderService();
      await using server = await startServer(file, { ...envOf(service), GRACE_MS: '200' });
      service.faults.next({ fault: 'stalled_headers' });
      const response = post(server.url, JSON.stringify(update));
      await service.received(1);
      server.child.kill('SIGTERM');
      expect((await response).status).toBe(202);
      expect(await server.ended).toBe(0);
      expect(server.printed()).toMatch(/aborted -> unknown/);
    });
  });
});
