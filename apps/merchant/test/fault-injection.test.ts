import { randomUUID } from 'node:crypto';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from './open-test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

const set = (scenario: string, percent = 100) =>
  app.call('/api/fault-injection', undefined, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ scenario, percent }),
  });
const tokens = async (): Promise<string[]> =>
  (await app.call('/api/orders')).body.orders.map(({ token }: { token: string }) => token);

async function send(token = ''): Promise<string> {
  const id = randomUUID();
  const { body } = (await app.call(`/api/orders/${token}`)).body;
  await app.call(`/api/orders/${token}/updates`, { id, update: body });
  return id;
}

const stateOf = async (id: string) => (await app.outbox.get(id))?.state;

test('a scan reaches the app through the webhook that the order service knows', async () => {
  const [token = ''] = await tokens();
  expect((await app.call('/api/fault-injection/scan', { token })).status).toBe(204);
  const order = async () => (await app.call(`/api/orders/${token}`)).body;
  await expect.poll(async () => (await order()).body.qr_session_id).toMatch(/./);
  expect((await order()).updates).toMatchObject([{ source: 'webhook', state: 'applied' }]);
  const without = app.mock.addOrder();
  const refused = await app.call('/api/fault-injection/scan', { token: without });
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'no_webhook' } } });
});

test('a burst sends so many updates over so many orders, and undoes no edit that is queued', async () => {
  const [first = '', second = ''] = await tokens();
  app.mock.faults.next({ type: 'reset_before_applying' }, { token: first });
  const { body } = (await app.call(`/api/orders/${first}`)).body;
  const edited = { ...body, order_id: 'edited just now' };
  const id = randomUUID();
  await app.call(`/api/orders/${first}/updates`, { id, update: edited });
  await expect.poll(() => stateOf(id)).toBe('needs_review');
  const { status, body: burst } = await app.call('/api/fault-injection/burst', { orders: 2, updates: 6 });
  expect({ status, count: burst.ids.length }).toEqual({ status: 202, count: 6 });
  await app.call(`/api/updates/${id}/retry`, {});
  await expect.poll(async () => Promise.all(burst.ids.map(stateOf))).toEqual(Array(6).fill('applied'));
  expect(app.mock.order(first)?.data).toEqual(edited);
  expect(app.mock.appliedUpdates(second)).toHaveLength(3);
  const slots = async (): Promise<{ applied: number }[]> =>
    (await app.call('/api/fault-injection/outcomes')).body.slots;
  expect(await slots()).toHaveLength(30);
  const count = async () => (await slots()).reduce((sum, { applied }) => sum + applied, 0);
  // With that of the scan.
  await expect.poll(count).toBe(8);
});

test('a burst starts from what was applied, not from what was rejected', async () => {
  const token = (await tokens())[2] ?? '';
  const before = (await app.call(`/api/orders/${token}`)).body.body;
  app.mock.faults.next({ type: 'status', status: 422 }, { token });
  const id = randomUUID();
  const update = { ...before, order_id: 'rejected' };
  await app.call(`/api/orders/${token}/updates`, { id, update });
  await expect.poll(() => stateOf(id)).toBe('rejected');
  const { body: burst } = await app.call('/api/fault-injection/burst', { orders: 3, updates: 3 });
  await expect.poll(async () => Promise.all(burst.ids.map(stateOf))).toEqual(Array(3).fill('applied'));
  expect(app.mock.appliedUpdates(token)).toEqual([before]);
});

test('while the service is down nothing is applied, and back to normal sends what is queued', async () => {
  const [, , third] = await tokens();
  expect((await set('down')).body).toEqual({ scenario: 'down', percent: 100 });
  const id = await send(third);
  await expect.poll(async () => (await app.outbox.get(id))?.attempts).toBeGreaterThan(0);
  expect(await stateOf(id)).toMatch(/queued|sending/);
  await set('healthy');
  await expect.poll(() => stateOf(id)).toBe('applied');
});

test.each([
  ['rateLimited', 'queued'],
  ['lostResponse', 'needs_review'],
  ['slow', 'applied'],
])('%s leads to %s', async (scenario, state) => {
  const listed = await tokens();
  await set(scenario);
  const id = await send(listed[{ rateLimited: 3, lostResponse: 4, slow: 5 }[scenario] ?? 0]);
  await expect
    .poll(async () => `${await stateOf(id)} ${(await app.outbox.get(id))?.attempts}`)
    .toMatch(new RegExp(`^${state} [1-9]`));
  await set('healthy');
  if (scenario === 'rateLimited') await expect.poll(() => stateOf(id)).toBe('applied');
});

test('unavailable opens the circuit breaker, and the status says so', async () => {
  const listed = await tokens();
  await set('unavailable');
  for (const token of listed.slice(6, 10)) await send(token);
  const status = async () => (await app.call('/api/status')).body;
  await expect.poll(async () => (await status()).service.state).toBe('service_unavailable');
  expect(await status()).toMatchObject({
    service: { message: expect.any(String), nextProbeAt: expect.any(String) },
    faultInjection: 'unavailable',
  });
  await set('healthy');
  // All of the others may have been tried before it opened, and one that is applied closes it.
  await send(listed[10]);
  await expect.poll(async () => (await status()).service.state).toBe('ok');
});

test('a setting that makes no sense is refused', async () => {
  for (const [scenario, percent] of [
    ['other', 100],
    ['slow', 0],
    ['slow', 101],
  ] as const)
    expect((await set(scenario, percent)).status).toBe(400);
  expect((await app.call('/api/fault-injection/burst', { orders: 51, updates: 1 })).status).toBe(400);
});

test('beside another order service there is no fault injection, and the app works without it', async () => {
  await using service = await startMockOrderService({ orders: ['theirs'] });
  const orders = [{ token: 'theirs', body: buildOrderUpdate() }];
  await using other = await openTestApp({
    connect: async () => ({ baseUrl: service.url, apiKey: service.key, orders }),
  });
  expect((await other.call('/api/fault-injection')).status).toBe(404);
  expect((await other.call('/api/status')).body).not.toHaveProperty('faultInjection');
  const id = randomUUID();
  await other.call('/api/orders/theirs/updates', { id, update: buildOrderUpdate() });
  await expect.poll(() => service.appliedUpdates('theirs').length).toBe(1);
});
