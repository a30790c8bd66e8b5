import process from 'node:process';
import { startOrderService } from '@orders/testing';
import { expect, test, vi } from 'vitest';

test('the route loads without a key, and reads it when it is called', async () => {
  await using service = await startOrderService();
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  vi.stubEnv('ORDERS_URL', service.url);
  vi.stubEnv('ORDER_TOKEN', service.token);
  delete process.env['ORDERS_API_KEY'];
  const { POST } = await import('../next-route.ts');
  const post = (body: string, id = 'A-1001') =>
    POST(new Request('https://shop.example/api/orders/A-1001', { method: 'POST', body }), {
      params: Promise.resolve({ id }),
    });

  expect((await post('{"cart":{}}')).status).toBe(500);
  expect(service.journal).toEqual([]);
  expect(logged.mock.calls.flat().join('\n')).toMatch(/not_sent/);

  vi.stubEnv('ORDERS_API_KEY', service.key);
  const applied = await post('{"cart":{}}');
  expect([applied.status, await applied.json()]).toMatchObject([200, { message: 'Your change is saved.' }]);
  expect(service.appliedTo(service.token)).toEqual([{ cart: {} }]);

  expect((await post('{"cart":')).status).toBe(422);
  expect((await post('{"cart":{}}', 'A-9')).status).toBe(404);
  expect(service.ledger).toHaveLength(1);
  vi.unstubAllEnvs();
  logged.mockRestore();
});
