import process from 'node:process';
import { startMockOrderService } from '@orders/testing';
import { expect, test, vi } from 'vitest';

test('the route loads without a key, and reads it when it is called', async () => {
  await using service = await startMockOrderService();
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  vi.stubEnv('ORDERS_BASE_URL', service.url);
  vi.stubEnv('ORDER_TOKEN', service.token);
  delete process.env['ORDERS_API_KEY'];
  // The route and its shop read the environment, which another test of this process may have had read before.
  vi.resetModules();
  const { POST } = await import('../next-route.ts');
  const post = (body: string, id = 'A-1001', type = 'application/json') =>
    POST(
      new Request('https://shop.example/api/orders/A-1001', {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      }),
      { params: Promise.resolve({ id }) },
    );

  expect((await post('{"mug":2}')).status).toBe(500);
  expect(service.journal).toEqual([]);
  expect(logged.mock.calls.flat().join('\n')).toMatch(/is the variable of apiKey set\?.*not_sent/s);

  vi.stubEnv('ORDERS_API_KEY', service.key);
  const applied = await post('{"mug":2}');
  expect([applied.status, await applied.json()]).toMatchObject([200, { message: 'Your change is saved.' }]);
  const items = [{ type: 'physical', sku: 'mug', name: 'Mug', unit_price: 12_900, quantity: 2 }];
  expect(service.appliedUpdates(service.token)).toEqual([{ cart: { items } }]);

  expect((await post('{"mug":')).status).toBe(422);
  expect((await post('{"mug":{"unit_price":1}}')).status).toBe(422);
  expect((await post('{"mug":2}', 'A-9')).status).toBe(404);
  // Another site can post text without asking the browser first.
  expect((await post('{"mug":2}', 'A-1001', 'text/plain')).status).toBe(415);
  expect((await post(`{"mug":2}${' '.repeat(5 * 1_048_576)}`)).status).toBe(413);
  expect(service.ledger).toHaveLength(1);

  service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '120' } });
  const later = await post('{"mug":2}');
  expect([later.status, later.headers.get('retry-after')]).toEqual([503, '120']);
  vi.unstubAllEnvs();
  logged.mockRestore();
});
