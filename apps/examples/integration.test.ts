import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { createOrdersClient } from '@orders/client';
import { startMockOrderService } from '@orders/testing';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { createApp } from './app.ts';
import { orderTokens, reviews } from './shop.ts';

const sign = (body: string) => ({
  'x-signature': createHmac('sha256', 's3cret').update(body).digest('hex'),
});
const service = await startMockOrderService({ webhooks: { sign } });
const orders = createOrdersClient({
  baseUrl: service.url,
  apiKey: service.key,
  maxPauseMs: 10, // a 429 has a Retry-After of 1 s
});
const { app, qrSessions } = createApp(orders, 's3cret');
orderTokens.set('A-1001', service.token);
const buyMugs = () =>
  app.request('/orders/A-1001', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"mug":2}',
  });

afterEach(() => service.reset());
afterAll(async () => {
  await orders.close();
  await service.close();
});

test('sends the cart', async () => {
  expect((await buyMugs()).status).toBe(200);
  const items = [{ sku: 'mug', quantity: 2, unit_price: 12900 }];
  expect(service.ledger).toMatchObject([{ body: { cart: { items } } }]);
});

test('recovers from a 429', async () => {
  service.faults.next('rateLimited');
  expect((await buyMugs()).status).toBe(200);
  expect(service.journal.map(({ status }) => status)).toEqual([429, 200]);
});

test('does not resend an update whose response was lost', async () => {
  using log = vi.spyOn(console, 'error').mockReturnValue();
  service.faults.next('lostResponse');
  expect((await buyMugs()).status).toBe(202); // the outcome is unknown,
  expect(service.ledger).toHaveLength(1); // but the update was applied
  expect(reviews).toMatchObject([{ token: service.token }]);
  expect(log).toHaveBeenCalledOnce();
});

test('accepts a signed webhook', async () => {
  const hostname = '127.0.0.1';
  const server = serve({ fetch: app.fetch, hostname, port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { status } = await service.webhooks.send('start_qr_session', {
    url: `http://${hostname}:${port}/hooks`,
    sessionId: 'qr_1',
  });
  server.close();
  expect([status, qrSessions]).toEqual([204, ['qr_1']]);
});
