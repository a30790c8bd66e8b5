import { randomUUID } from 'node:crypto';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test, vi } from 'vitest';
import type { OrderDetail } from '../page/api.ts';
import { createApp } from '../server/app.ts';
import type { Events } from '../server/events.ts';
import { beatMs } from '../shared/limits.ts';
import { followEvents } from './follow-events.ts';
import { openTestApp, openTestStore, type TestApp } from './open-test-app.ts';
import { createDatabase, needPostgres } from './open-test-postgres.ts';
import { tables } from './share-postgres.ts';

const orders = ['order-1', 'order-2'].map((token) => ({ token, body: buildOrderUpdate() }));
/** A response of more levels than `JSON.stringify` follows. */
const nested = { type: 'status', status: 422, body: '['.repeat(5_000) + ']'.repeat(5_000) } as const;

const send = (app: TestApp, token: string, id: string) =>
  app.call(`/api/orders/${token}/updates`, { id, update: buildOrderUpdate() });

test('a page hears of an update from a 429 to its end', async () => {
  await using app = await openTestApp({ orders });
  app.mock.faults.next(
    { type: 'status', status: 429, headers: { 'retry-after': '1' } },
    { token: 'order-1' },
  );
  const heard = [await followEvents(app), await followEvents(app)] as const;
  await send(app, 'order-1', randomUUID());
  const shown = async (): Promise<OrderDetail> => (await app.call('/api/orders/order-1')).body;
  await heard[0](async () => (await shown()).updates[0]?.status === 429);
  await heard[1](async () => (await shown()).lastUpdate?.state === 'applied');
  expect((await shown()).updates).toMatchObject([{ state: 'applied', attempts: 2, status: 200 }]);
});

test('what was applied while no process ran is stored, the last of each order, before what the outbox has forgotten is deleted', async () => {
  const store = await openTestStore();
  const [rejected, forgotten] = [randomUUID(), randomUUID()];
  {
    await using app = await openTestApp({ orders, data: { ...store, close: async () => {} } });
    const version = async (token: string) => (await app.call(`/api/orders/${token}`)).body.bodyVersion;
    for (const [token, name] of [
      ['order-1', 'first'],
      ['order-1', 'second'],
      ['order-1', 'third'],
      ['order-2', 'old'],
    ] as const) {
      const id = randomUUID();
      await app.call(`/api/orders/${token}/updates`, { id, update: buildOrderUpdate({ order_id: name }) });
      await expect.poll(() => version(token)).toBe(id);
    }
    app.mock.faults.next(nested, { token: 'order-2' });
    await send(app, 'order-2', rejected);
    await expect.poll(async () => (await app.outbox.get(rejected))?.state).toBe('rejected');
    const updates = [...(await app.outbox.history('order-1')), ...(await app.outbox.history('order-2'))];
    await app.close();
    // As if the process had been killed before it stored any of them, and nothing had run for 40 days.
    await store.query(`update merchant.settings set value = '' where name = 'cursor'`);
    await store.query(`update merchant.orders set body = '{"cart":{}}', version = 'first'`);
    const names = ['third', 'second', 'first', 'rejected', 'old'];
    for (const [index, { id }] of updates.entries())
      await store.query('update merchant.updates set body = $2 where id = $1', [
        id,
        JSON.stringify(buildOrderUpdate({ order_id: names[index] ?? '' })),
      ]);
    await store.query(
      `insert into merchant.updates (id, token, source, state) values ($1, 'order-2', 'editor', 'applied')`,
      [forgotten],
    );
    await store.query(`update merchant.updates set at = now() - interval '40 days'`);
  }
  await using again = await openTestApp({ orders, data: store });
  const orderId = async (token: string) => (await again.call(`/api/orders/${token}`)).body.body.order_id;
  await expect.poll(() => Promise.all(['order-1', 'order-2'].map(orderId))).toEqual(['third', 'old']);
  const kept = async () => (await again.parts.store.query('select id from merchant.updates')).rows;
  await expect.poll(kept).not.toContainEqual({ id: forgotten });
  expect(await kept()).toContainEqual({ id: rejected });
  expect((await again.call('/api/orders/order-2')).body.updates[0]).toMatchObject({ state: 'rejected' });
});

test('what another process has stored is not stored again, and the page hears of it', async () => {
  await using app = await openTestApp({ orders });
  const first = randomUUID();
  await send(app, 'order-1', first);
  const version = async () => (await app.call('/api/orders/order-1')).body.bodyVersion;
  await expect.poll(version).toBe(first);
  await app.parts.store.query(
    `update merchant.settings set value = '0:00000000-0000-0000-0000-000000000000' where name = 'cursor'`,
  );
  const second = randomUUID();
  const heard = await followEvents(app);
  await send(app, 'order-1', second);
  // It goes on from where the other is.
  await heard(async () => (await version()) === second);
});

test('of two apps on one PostgreSQL, each stores what was applied once and informs its own page', async (context) => {
  needPostgres(context);
  const data = { databaseUrl: await createDatabase(tables) };
  await using one = await openTestApp({ orders, data });
  const connect = async () => ({ baseUrl: one.service.baseUrl, apiKey: one.service.apiKey, orders: [] });
  await using other = await openTestApp({ data, connect });
  const version = async (app: TestApp) => (await app.call('/api/orders/order-1')).body.bodyVersion;
  const id = randomUUID();
  const apps = [one, other];
  const heard = await Promise.all(
    apps.map(async (app) => {
      const until = await followEvents(app);
      return () => until(async () => (await version(app)) === id);
    }),
  );
  await send(other, 'order-1', id);
  await Promise.all(heard.map((until) => until()));
  expect([...one.logged, ...other.logged]).toEqual([]);
});

test('a quiet event stream says that it is alive, in a way that a page can hear', async () => {
  await using app = await openTestApp({ orders });
  vi.useFakeTimers({ toFake: ['setInterval'] });
  try {
    const { body } = await createApp(app.parts).request(`${app.url}/api/events`);
    const reader = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe(': connected\n\n');
    vi.advanceTimersByTime(beatMs);
    expect((await reader.read()).value).toBe('event: beat\ndata: \n\n');
    await reader.cancel();
  } finally {
    vi.useRealTimers();
  }
});

test.each(['HEAD', 'GET'])('an unread event stream ends, and its listener is removed: %s', async (method) => {
  await using app = await openTestApp({ orders });
  const listeners = new Set<Parameters<Events['subscribe']>[0]>();
  const subscribe: Events['subscribe'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const api = createApp({ ...app.parts, events: { ...app.parts.events, subscribe } });
  const response = await api.request(`${app.url}/api/events`, { method });
  expect(response.status).toBe(200);
  const messages = method === 'HEAD' ? 0 : 200;
  for (let count = 0; count < messages; count++) for (const listener of listeners) listener();
  await expect.poll(() => listeners.size).toBe(0);
  // A page that reads again gets what waits, and connects anew.
  expect((await response.text()).split('event: change')).toHaveLength(messages + 1);
});
