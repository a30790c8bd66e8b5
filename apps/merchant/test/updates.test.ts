import { randomUUID } from 'node:crypto';
import { type OutboxStore, postgresStore } from '@orders/outbox';
import { buildOrderUpdate } from '@orders/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mockService } from '../fault-injection/mock-service.ts';
import type { OrderDetail, UpdateView } from '../page/api.ts';
import { createApp } from '../server/app.ts';
import type { ConnectService } from '../server/start.ts';
import type { ShopUpdate } from '../shared/order-update.ts';
import { followEvents } from './follow-events.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';
import { createDatabase, needPostgres } from './open-test-postgres.ts';
import { tables } from './share-postgres.ts';

const orders = Array.from({ length: 30 }, (_, index) => ({
  token: `order-${index + 1}`,
  body: buildOrderUpdate(),
}));

/** Shared by the tests that only use orders of their own. */
let app: TestApp;
let used = 0;
beforeAll(async () => {
  app = await openTestApp({ orders });
});
afterAll(() => app.close());
const nextOrder = (): string => `order-${++used}`;

function cartOf(name: string): ShopUpdate {
  return buildOrderUpdate({ order_id: name });
}

async function send(app: TestApp, token: string, update: unknown, id = randomUUID()): Promise<UpdateView> {
  return (await app.call(`/api/orders/${token}/updates`, { id, update })).body;
}

async function read(app: TestApp, token: string): Promise<OrderDetail> {
  return (await app.call(`/api/orders/${token}`)).body;
}

const stateOf = async (app: TestApp, { id }: UpdateView) => (await app.outbox.get(id))?.state;

async function until(app: TestApp, update: UpdateView, state: UpdateView['state']): Promise<void> {
  await expect.poll(() => stateOf(app, update), { interval: 20 }).toBe(state);
}

const orderId = async (app: TestApp, token: string) => (await read(app, token)).body.order_id;

async function sendFile(app: TestApp, file: string): Promise<void> {
  const uploaded = await app.call('/api/bulks?name=a.csv', undefined, {
    method: 'POST',
    body: file,
    headers: { 'content-type': 'text/csv' },
  });
  await app.call(`/api/bulks/${uploaded.body.id}/send`, {});
}

test('the editor starts from what a bulk applied', async () => {
  const token = nextOrder();
  const before = await read(app, token);
  expect(before.bodyVersion).toBe('first');
  await sendFile(app, `token,order_id,cart.items[0].sku\n${token},from-bulk,MUG\n`);
  await expect.poll(() => orderId(app, token)).toBe('from-bulk');
  const applied = await read(app, token);
  expect(applied.bodyVersion).toBe(applied.updates[0]?.id);
  expect(applied.body).toEqual({ order_id: 'from-bulk', cart: { items: [{ sku: 'MUG' }] } });

  const update = await send(app, token, { ...applied.body, merchant_note: 'after the bulk' });
  await until(app, update, 'applied');
  expect(app.mock.order(token)?.data).toMatchObject({
    order_id: 'from-bulk',
    merchant_note: 'after the bulk',
  });
  await expect.poll(async () => (await read(app, token)).bodyVersion).toBe(update.id);
});

test('an update that is rejected and sent again after a later one is what the editor starts from', async () => {
  const token = nextOrder();
  app.mock.faults.next({ type: 'status', status: 422 }, { token: token });
  const first = await send(app, token, cartOf('first'));
  await until(app, first, 'rejected');
  await until(app, await send(app, token, cartOf('second')), 'applied');
  await expect.poll(() => orderId(app, token)).toBe('second');
  await app.call(`/api/updates/${first.id}/retry`, {});
  await expect.poll(() => orderId(app, token)).toBe('first');
});

test('an older update that a person resolves as applied does not replace a newer one', async () => {
  const token = nextOrder();
  app.mock.faults.next({ type: 'status', status: 422 }, { token: token });
  const first = await send(app, token, cartOf('first'));
  await until(app, first, 'rejected');
  await until(app, await send(app, token, cartOf('second')), 'applied');
  await expect.poll(() => orderId(app, token)).toBe('second');
  const { version } = await app.parts.store
    .query('select version from merchant.orders where token = $1', [token])
    .then(({ rows }) => rows[0] as { version: string });
  await app.call(`/api/updates/${first.id}/resolve`, { note: 'seen there' });
  await until(app, first, 'applied');
  // The body is deleted in the transaction that would have replaced that of the order.
  await expect
    .poll(
      async () =>
        (
          await app.parts.store.query(
            'select 1 from merchant.updates where body is not null and token = $1',
            [token],
          )
        ).rows,
    )
    .toEqual([]);
  expect(await read(app, token)).toMatchObject({ body: { order_id: 'second' }, bodyVersion: version });
});

test('an unknown outcome waits for a person, who says it was applied, sends it again, or discards it', async () => {
  const [token, other] = [nextOrder(), nextOrder()];
  app.mock.faults.next({ type: 'reset_after_applying' }, { token: token });
  app.mock.faults.next({ type: 'status', status: 503 }, { token: other });
  const [applied, resent] = [await send(app, token, cartOf('a')), await send(app, other, cartOf('b'))];
  await until(app, applied, 'needs_review');
  await until(app, resent, 'needs_review');
  const listed = (await app.call('/api/updates?state=needs_review')).body.updates;
  expect(listed).toMatchObject([
    { id: applied.id, state: 'needs_review', source: 'editor', attempts: 1 },
    { id: resent.id, state: 'needs_review', status: 503 },
  ]);
  expect((await app.call(`/api/updates/${applied.id}`)).body.update).toEqual(cartOf('a'));
  // Nothing is sent by itself.
  expect([token, other].flatMap((one) => app.mock.requests({ token: one }))).toHaveLength(2);

  const note = 'found in their back office';
  const decided = (await app.call(`/api/updates/${applied.id}/resolve`, { note })).body;
  expect(decided).toMatchObject({ state: 'applied', decision: { note } });
  await expect.poll(() => orderId(app, token)).toBe('a');
  app.mock.faults.next({ type: 'status', status: 503 }, { token: other });
  await app.call(`/api/updates/${resent.id}/retry`, {});
  await expect.poll(() => app.mock.requests({ token: other }).length).toBe(2);
  await until(app, resent, 'needs_review');
  expect((await app.call(`/api/updates/${resent.id}/discard`, {})).body.state).toBe('discarded');
  expect(await orderId(app, other)).not.toBe('b');

  const again = await app.call(`/api/updates/${resent.id}/retry`, {});
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'nothing_to_decide' } } });
  const unknown = await app.call(`/api/updates/${randomUUID()}/discard`, {});
  expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'unknown_update' } } });
});

test('an update that is sent twice with one id is one update', async () => {
  const [token, other] = [nextOrder(), nextOrder()];
  const id = randomUUID();
  const both = await Promise.all([1, 2].map(() => send(app, token, cartOf('once'), id)));
  expect(both).toMatchObject([{ id }, { id }]);
  await until(app, { id } as UpdateView, 'applied');
  expect(app.mock.appliedUpdates(token)).toHaveLength(1);
  // Once it was applied, its body is deleted, and it still counts.
  await expect.poll(() => orderId(app, token)).toBe('once');
  expect((await send(app, token, cartOf('once'), id)).state).toBe('applied');
  for (const [order, name] of [
    [other, 'once'],
    [token, 'another body'],
    [other, 'another body'],
  ] as const) {
    const repeated = await app.call(`/api/orders/${order}/updates`, { id, update: cartOf(name) });
    expect(repeated).toMatchObject({ status: 409, body: { error: { code: 'duplicate_id' } } });
  }
  expect(app.mock.appliedUpdates(token)).toHaveLength(1);
  expect(app.mock.appliedUpdates(other)).toEqual([]);
});

test('an id under which another program has accepted an update is refused', async () => {
  const token = nextOrder();
  const id = await app.outbox.enqueue(token, cartOf('by another program'));
  const sent = await app.call(`/api/orders/${token}/updates`, { id, update: cartOf('by another program') });
  expect(sent).toMatchObject({ status: 409, body: { error: { code: 'duplicate_id' } } });
});

test('an order that another transaction holds is a 503 that says when to try again, for an update and for a decision', async (context) => {
  needPostgres(context);
  const databaseUrl = await createDatabase(tables);
  await using own = await openTestApp({ orders, data: { databaseUrl } });
  own.mock.faults.next({ type: 'reset_after_applying' }, { token: 'order-1' });
  const unknown = await send(own, 'order-1', cartOf('unknown'));
  await until(own, unknown, 'needs_review');
  const other = postgresStore({ connectionString: databaseUrl });
  const id = randomUUID();
  const refused = await other.transaction(async (tx) => {
    await tx.query('set local idle_in_transaction_session_timeout = 0');
    await tx.query(`select from orders_outbox.lanes where token = 'order-1' for update`);
    return Promise.all([
      own.call('/api/orders/order-1/updates', { id, update: cartOf('locked') }),
      own.call(`/api/updates/${unknown.id}/retry`, {}),
    ]);
  });
  await other.close();
  for (const { status, headers, body } of refused) {
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'order_locked' });
    expect(headers.get('retry-after')).toBe('2');
  }
  for (const entry of own.logged.splice(0)) {
    expect(entry).toMatchObject({ level: 'warn', route: expect.any(String) });
    expect(entry).not.toHaveProperty('stack');
  }
  // Nothing was accepted, so the same id is free.
  expect((await send(own, 'order-1', cartOf('locked'), id)).state).toBe('queued');
});

test('an update of an order that is locked for a moment is accepted, and keeps no connection meanwhile', async () => {
  const token = nextOrder();
  const kinds: unknown[] = [];
  const transaction: OutboxStore['transaction'] = async (run, options) => {
    kinds.push(options);
    if (kinds.length < 3) throw Object.assign(new Error('lock timeout'), { code: '55P03' });
    return app.parts.store.transaction(run, options);
  };
  const api = createApp({ ...app.parts, store: { ...app.parts.store, transaction } });
  const sent = await api.request(`${app.url}/api/orders/${token}/updates`, {
    method: 'POST',
    body: JSON.stringify({ id: randomUUID(), update: cartOf('locked') }),
    headers: { 'content-type': 'application/json' },
  });
  expect(sent.status).toBe(202);
  expect(kinds).toEqual(Array(3).fill({ isRepeated: true }));
});

test('updates of an order are refused in time while an earlier one waits for the database, and accepted after it', async () => {
  const token = nextOrder();
  const { store } = app.parts;
  const [begun, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  const transaction: OutboxStore['transaction'] = async (...call) => {
    if (++calls === 1) {
      begun.resolve();
      await waiting.promise;
    }
    return store.transaction(...call);
  };
  const api = createApp({ ...app.parts, log: () => {}, store: { ...store, transaction } });
  const send = async (): Promise<unknown> => {
    const response = await api.request(`${app.url}/api/orders/${token}/updates`, {
      method: 'POST',
      body: JSON.stringify({ id: randomUUID(), update: cartOf('waits') }),
      headers: { 'content-type': 'application/json' },
    });
    return (await response.json()).error?.code ?? response.status;
  };
  const first = send();
  await begun.promise;
  expect(await Promise.all([send(), send()])).toEqual(['order_locked', 'order_locked']);
  expect(calls).toBe(1);
  const last = send();
  waiting.resolve();
  expect(await Promise.all([first, last])).toEqual([202, 202]);
});

test('of many updates of a locked order one tries at a time, and each is refused in time', async () => {
  const token = nextOrder();
  let [trying, most] = [0, 0];
  const transaction: OutboxStore['transaction'] = async () => {
    most = Math.max(most, ++trying);
    await new Promise(setImmediate);
    trying--;
    throw Object.assign(new Error('lock timeout'), { code: '55P03' });
  };
  const api = createApp({ ...app.parts, log: () => {}, store: { ...app.parts.store, transaction } });
  const sent = await Promise.all(
    Array.from({ length: 40 }, () =>
      api.request(`${app.url}/api/orders/${token}/updates`, {
        method: 'POST',
        body: JSON.stringify({ id: randomUUID(), update: cartOf('locked') }),
        headers: { 'content-type': 'application/json' },
      }),
    ),
  );
  const answers = await Promise.all(
    sent.map(async (each) => [each.status, (await each.json()).error.code, each.headers.get('retry-after')]),
  );
  expect(answers).toEqual(Array(40).fill([503, 'order_locked', '2']));
  expect(most).toBe(1);
});

test('an invalid update is refused with every issue, and nothing is sent or stored', async () => {
  const token = nextOrder();
  const update = { orderId: 'x', cart: { items: [{ quantity: '2' }] } };
  const { status, body } = await app.call(`/api/orders/${token}/updates`, { id: randomUUID(), update });
  expect(status).toBe(422);
  expect(body.error).toMatchObject({
    code: 'validation_error',
    message: 'Fix 2 fields.',
    requestId: expect.any(String),
  });
  expect(body.error.issues).toContainEqual(
    expect.objectContaining({ path: 'cart.items[0].quantity', hint: 'Write 2, without quotes.' }),
  );
  expect(await app.outbox.history(token)).toEqual([]);
  expect(app.mock.requests({ token })).toEqual([]);
});

test('an update is stored and sent as it was given, whatever they hold', async () => {
  const token = nextOrder();
  const nested = JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`);
  const update = {
    order_id: 'nul \u0000 lone \ud800 emoji \u{1f6d2}',
    merchant_note: "'; drop table merchant.orders; --",
    zeta: 1,
    alpha: { nested },
    cart: { items: [{ sku: '', unit_price: -1 }] },
  };
  app.mock.faults.next({ type: 'reset_before_applying' }, { token });
  const sent = await send(app, token, update);
  await until(app, sent, 'needs_review');
  await app.call(`/api/updates/${sent.id}/retry`, {});
  await until(app, sent, 'applied');
  await expect.poll(async () => (await read(app, token)).bodyVersion).toBe(sent.id);
  const requests = app.mock.requests({ token }).map(({ body }) => String(body));
  expect(requests).toEqual([JSON.stringify(update), JSON.stringify(update)]);
  const shown = await app.call(`/api/orders/${token}`);
  expect(JSON.stringify(shown.body.body)).toBe(JSON.stringify(update));
  expect(shown.headers.get('cache-control')).toBe('no-store');
});

test('a 429 pauses all updates until a person resumes', async () => {
  const token = nextOrder();
  app.mock.faults.next(
    { type: 'status', status: 429, headers: { 'retry-after': '600' } },
    { operation: 'update' },
  );
  const update = await send(app, token, cartOf('later'));
  await expect.poll(async () => (await app.call('/api/status')).body.pausedUntil).toBeDefined();
  expect((await app.call('/api/status')).body.updates).toMatchObject({ queued: 1 });
  expect((await read(app, token)).updates).toMatchObject([
    { state: 'queued', attempts: 1, status: 429, code: 'http_error', heldBy: { reason: 'paused' } },
  ]);
  expect((await app.call('/api/resume', {})).status).toBe(204);
  await until(app, update, 'applied');
  expect((await app.call('/api/status')).body.pausedUntil).toBeUndefined();
});

// Text that breaks pages, and more levels than JSON.stringify follows.
const hostile = [
  `${'[[[[['.repeat(1_000)}0${']]]]]'.repeat(1_000)}`,
  JSON.stringify({ message: '<script>alert(1)</script>', order: '"><img src=x onerror=alert(1)>' }),
  JSON.stringify('x'.repeat(1_000_000)),
];

test.each([200, 422])(
  'hostile responses with status %d break nothing, and nothing of them is stored',
  async (status) => {
    const tokens = [nextOrder(), nextOrder(), nextOrder()];
    for (const [index, token] of tokens.entries()) {
      app.mock.faults.next({ type: 'status', status, body: hostile[index] ?? '' }, { token });
      const update = await send(app, token, cartOf('x'));
      await until(app, update, status === 200 ? 'applied' : 'rejected');
      const shown = await app.call(`/api/orders/${token}`);
      expect(shown.status).toBe(200);
      expect(shown.text.length).toBeLessThan(20_000);
      expect(shown.text).not.toContain('alert(1)');
    }
    for (const path of ['/api/orders', '/api/updates?state=rejected'])
      expect((await app.call(path)).status).toBe(200);
    expect(app.logged).toEqual([]);
  },
);

// It leaves the service refused, so it comes last.
test('a key that is refused is the state of the service, and nothing is rejected', async () => {
  app.mock.faults.always({ type: 'status', status: 401 }, { operation: 'update' });
  const sent = [await send(app, nextOrder(), cartOf('a')), await send(app, nextOrder(), cartOf('b'))];
  await expect.poll(async () => (await app.call('/api/status')).body.service.state).toBe('key_refused');
  for (const update of sent) await until(app, update, 'queued');
});

test.each([
  ['key_refused', { type: 'status', status: 401 }],
  ['key_refused', { type: 'status', status: 403 }],
  ['service_unavailable', { type: 'status', status: 503 }],
  ['service_unavailable', 'down'],
] as const)(
  'a service that is %s from the start is named as such, until it is not: %j',
  async (state, fault) => {
    const mock = mockService();
    const connect: ConnectService = async (readStored, webhookUrl) => {
      const service = await mock(readStored, webhookUrl);
      mock.service().faults.always(fault);
      return service;
    };
    await using app = await openTestApp({ connect });
    const service = async () => (await app.call('/api/status')).body.service;
    await expect.poll(service).toMatchObject({ state, message: expect.any(String) });
    const heard = await followEvents(app);
    mock.service().faults.clear();
    // Though nothing is queued.
    await heard(async () => (await service()).state === 'ok');
  },
);

test('the update that others wait for is shown, however many wait', async () => {
  const token = 'order-1';
  await using app = await openTestApp({ orders: orders.slice(0, 1) });
  app.mock.faults.next({ type: 'reset_after_applying' }, { token });
  const review = await send(app, token, cartOf('unknown'));
  await until(app, review, 'needs_review');
  for (let index = 0; index < 8; index++) await send(app, token, cartOf(`behind-${index}`));
  // What the app stores of updates follows the outbox.
  const shown = async () => {
    const { open, updates } = await read(app, token);
    return { open, reviews: updates.filter(({ state }) => state === 'needs_review').map(({ id }) => id) };
  };
  await expect.poll(shown).toEqual({ open: 9, reviews: [review.id] });
  const { updates } = await read(app, token);
  expect(updates[0]?.heldBy).toMatchObject({ reason: 'behind_review', id: review.id });
  // Once, also where the history is long enough to hold it.
  const long: OrderDetail = (await app.call(`/api/orders/${token}?updates=200`)).body;
  expect(long.updates.filter(({ id }) => id === review.id)).toHaveLength(1);
  await app.call(`/api/updates/${review.id}/discard`, {});
  await expect.poll(async () => (await read(app, token)).open).toBe(0);
  expect((await read(app, token)).updates).toHaveLength(5);
});

test('a decision about an update that has changed since it was seen is refused', async () => {
  await using own = await openTestApp({ orders });
  const token = 'order-1';
  const isLost = () => own.mock.faults.next({ type: 'reset_after_applying' }, { token });
  isLost();
  const update = await send(own, token, cartOf('unknown'));
  await until(own, update, 'needs_review');
  const { settledAt } = (await own.call(`/api/updates/${update.id}`)).body;
  isLost();
  await own.call(`/api/updates/${update.id}/retry`, { settledAt });
  await expect.poll(() => own.mock.requests({ token }).length).toBe(2);
  await until(own, update, 'needs_review');
  // The panel of another person is as it was.
  for (const decision of ['retry', 'resolve', 'discard'])
    expect(await own.call(`/api/updates/${update.id}/${decision}`, { settledAt })).toMatchObject({
      status: 409,
      body: { error: { code: 'changed', message: expect.stringContaining('decide again') } },
    });
  const seen = (await own.call(`/api/updates/${update.id}`)).body;
  const resolved = await own.call(`/api/updates/${update.id}/resolve`, { settledAt: seen.settledAt });
  expect(resolved.body.state).toBe('applied');
});
