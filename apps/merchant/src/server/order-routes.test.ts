import { randomUUID } from 'node:crypto';
import { defineOrderUpdate } from '@orders/schema';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { askDesk, postJson, withJson } from '../../test/ask-desk.ts';
import { openTestDesk, type TestDesk } from '../../test/open-test-desk.ts';
import { OrderList, OrderView, ScanReport } from '../contract/order-view.ts';
import { PreparedView } from '../contract/prepared-view.ts';
import { UpdateReport } from '../contract/update-report.ts';
import { UpdateView } from '../contract/update-view.ts';

function send(open: TestDesk, update: object, token = 'order-1', id = randomUUID()) {
  return postJson(open, `/api/orders/${encodeURIComponent(token)}/updates`, { id, update });
}

async function sendAndSettle(open: TestDesk, update: object, token = 'order-1') {
  const { status, body } = await send(open, update, token);
  expect(status).toBe(202);
  return open.updates.settled(UpdateView.parse(body).id);
}

const view = async (open: TestDesk) => OrderView.parse((await askDesk(open, '/api/orders/order-1')).body);

test('lists the orders it knows', async () => {
  await using open = await openTestDesk({ draft: buildOrderUpdate({ order_id: 'mine-1' }) });
  const { status, body } = await askDesk(open, '/api/orders');
  expect(status).toBe(200);
  expect(OrderList.parse(body).orders).toMatchObject([
    { token: 'order-1', orderId: 'mine-1', hasDraft: false, lastUpdate: null, undecided: 0 },
  ]);
});

test('accepts an update, sends it exactly as given, and remembers what became of it', async () => {
  await using open = await openTestDesk();
  const update = buildOrderUpdate({ order_id: 'mine-1', note: { any: [1, null] }, qr_session_id: 'qr-1' });
  const id = randomUUID();
  const { status, body } = await send(open, update, 'order-1', id);
  expect(status).toBe(202);
  expect(UpdateView.parse(body)).toMatchObject({ id, state: 'queued', report: null });
  expect((await open.updates.settled(id)).report).toMatchObject({ data: { revision: 1 }, attempts: 1 });
  expect(open.service.appliedUpdates('order-1')).toEqual([update]);
  expect(await view(open)).toMatchObject({
    body: update,
    updates: [{ id, state: 'applied' }],
    events: [{}, {}, {}, { event: { kind: 'update_settled' } }],
  });
});

test('refuses a bad update with 422 and explains it by its own paths, and keeps and sends nothing', async () => {
  await using open = await openTestDesk();
  const bad = { cart: { items: [{ quantity: 2.5 }] }, purchase_currency: 'XYZ', total_amount: 1.5 };
  const answers = await Promise.all([send(open, bad), postJson(open, '/api/orders/order-1/prepare', bad)]);
  for (const { status, body } of answers) {
    expect(status).toBe(422);
    expect(UpdateReport.parse(body)).toMatchObject({
      ok: false,
      outcome: 'not_sent',
      attempts: 0,
      error: {
        code: 'validation_error',
        issues: expect.arrayContaining([
          expect.objectContaining({ path: 'cart.items[0].quantity', hint: expect.any(String) }),
          expect.objectContaining({ path: 'purchase_currency', code: 'invalid_currency' }),
          expect.objectContaining({ path: 'total_amount' }),
        ]),
      },
    });
  }
  expect((await view(open)).updates).toEqual([]);
  expect(open.service.journal).toEqual([]);
});

test('lets through less than the page does when its own schema says so', async () => {
  await using open = await openTestDesk({ schema: defineOrderUpdate({ currencies: ['NOK'] }) });
  const { status, body } = await send(open, buildOrderUpdate({ purchase_currency: 'EUR' }));
  expect(status).toBe(422);
  expect(body).toMatchObject({ error: { issues: [{ path: 'purchase_currency' }] } });
});

test('remembers an update that the order service refused, with its status and its words', async () => {
  await using open = await openTestDesk({ strangers: ['a/b'] });
  expect(await sendAndSettle(open, buildOrderUpdate(), 'a/b')).toMatchObject({
    state: 'rejected',
    report: { status: 404, error: { answer: expect.stringContaining('order_not_found') } },
  });
});

test('remembers an update that never reached the order service', async () => {
  await using open = await openTestDesk();
  await open.service.close();
  expect(await sendAndSettle(open, buildOrderUpdate())).toMatchObject({
    state: 'not_sent',
    report: { attempts: 1, error: { code: 'connection_error' } },
  });
});

test('shows the request that would be sent, without the key, and sends nothing', async () => {
  await using open = await openTestDesk({ strangers: ['a/b'] });
  const update = buildOrderUpdate({ order_id: "it's æøå" });
  const { status, body } = await postJson(open, '/api/orders/a%2Fb/prepare', update);
  expect(status).toBe(200);
  const prepared = PreparedView.parse(body);
  expect(prepared).toMatchObject({
    url: `${open.service.url}/v2/orders/a%2Fb`,
    body: JSON.stringify(update),
    bodyBytes: Buffer.byteLength(JSON.stringify(update)),
    curl: expect.stringContaining('"$ORDERS_API_KEY:"'),
  });
  expect(open.service.journal).toEqual([]);

  await postJson(open, '/api/orders/order-1/updates', { id: randomUUID(), update });
  await open.service.waitForRequests(1);
  const sent = open.service.journal[0]?.headers ?? {};
  for (const [name, value] of prepared.headers)
    if (name !== 'Authorization') expect(sent[name.toLowerCase()]).toBe(value);
});

test('keeps what was typed until it is sent or forgotten', async () => {
  await using open = await openTestDesk();
  const path = '/api/orders/order-1/draft';
  const draft = { cart: { items: [{ quantity: '2,5' }] } };
  expect(await askDesk(open, path, withJson('PUT', { draft }))).toMatchObject({ status: 204 });
  expect(await view(open)).toMatchObject({ draft, hasDraft: true });
  await askDesk(open, path, withJson('PUT', { draft: null }));
  expect(await view(open)).toMatchObject({ draft: null, hasDraft: false });
  await askDesk(open, path, withJson('PUT', { draft }));
  await sendAndSettle(open, buildOrderUpdate());
  expect(await view(open)).toMatchObject({ draft: null, hasDraft: false });
});

test('plays a scan once the order service knows the webhook address, and says what to do before', async () => {
  await using open = await openTestDesk();
  const scan = async () => ScanReport.parse((await postJson(open, '/api/orders/order-1/scan', {})).body);
  expect(await scan()).toEqual({
    delivered: false,
    problem: expect.stringContaining('webhook address first'),
  });
  const { webhookUrl } = await view(open);
  const hooks = { webhook_url: webhookUrl };
  await sendAndSettle(open, buildOrderUpdate({ hooks }));
  expect(await scan()).toEqual({ delivered: true });
  const { qrSession, events } = await view(open);
  expect(qrSession).toMatchObject({ id: expect.stringMatching(/^qr_/) });
  expect(events.at(-1)?.event).toEqual({ kind: 'qr_session', token: 'order-1', sessionId: qrSession?.id });
});

test('says why a scan was not delivered', async () => {
  await using open = await openTestDesk({ publicUrl: 'http://127.0.0.1:1' });
  const hooks = { webhook_url: (await view(open)).webhookUrl };
  await sendAndSettle(open, buildOrderUpdate({ hooks }));
  expect((await postJson(open, '/api/orders/order-1/scan', {})).body).toEqual({
    delivered: false,
    problem: expect.stringContaining('ECONNREFUSED'),
  });
});

test('plays no scan for an order service of others', async () => {
  await using open = await openTestDesk({ ownService: false });
  expect((await postJson(open, '/api/orders/order-1/scan', {})).body).toMatchObject({ delivered: false });
});

test('refuses an order it does not know, and a body that is none, in JSON', async () => {
  await using open = await openTestDesk();
  const id = randomUUID();
  const refused = [
    ['order-2/updates', { id, update: {} }, 404],
    ['%00/prepare', { cart: {} }, 404],
    ['order-1/updates', '{', 400],
    ['order-1/updates', { id: 'one', update: { cart: {} } }, 400],
    ['order-1/updates', { id, update: { cart: {}, more: 'x'.repeat(1_048_576) } }, 413],
  ] as const;
  for (const [path, body, status] of refused) {
    const answer = await postJson(open, `/api/orders/${path}`, body);
    expect(answer).toMatchObject({ status, body: { error: { code: expect.any(String) } } });
  }
  expect(open.service.journal).toEqual([]);
});

test('refuses an id that another order has', async () => {
  await using open = await openTestDesk({ others: ['order-2'] });
  const id = randomUUID();
  await send(open, buildOrderUpdate(), 'order-1', id);
  expect(await send(open, buildOrderUpdate(), 'order-2', id)).toMatchObject({
    status: 409,
    body: { error: { code: 'id_taken' } },
  });
});

test('sends and keeps a character that a database would not take', async () => {
  await using open = await openTestDesk();
  const update = buildOrderUpdate({ note: '\u0000', amount: 1e21 });
  expect(await sendAndSettle(open, update)).toMatchObject({ state: 'applied' });
  expect(open.service.appliedUpdates('order-1')).toEqual([update]);
  expect((await view(open)).body).toEqual(update);
});

test('keeps every answer out of caches', async () => {
  await using open = await openTestDesk();
  for (const path of ['/api/orders', '/api/orders/order-1', '/api/orders/order-2', '/api/updates/undecided'])
    expect((await askDesk(open, path)).headers.get('cache-control')).toBe('no-store');
});

test('answers an unknown path with 404, in JSON', async () => {
  await using open = await openTestDesk();
  expect(await askDesk(open, '/api/order')).toMatchObject({
    status: 404,
    body: { error: { code: 'not_found' } },
  });
});
