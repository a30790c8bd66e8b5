import { defineOrderUpdate } from '@orders/schema';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { openTestDesk, type TestDesk } from '../../test/open-test-desk.ts';

async function ask({ desk, service }: TestDesk, path: string, init?: RequestInit) {
  const answer = await fetch(desk.url + path, init);
  const text = await answer.text();
  expect(text + JSON.stringify([...answer.headers])).not.toContain(service.key);
  return { status: answer.status, body: JSON.parse(text) as unknown };
}

function send(
  desk: TestDesk,
  body: string | object,
  token = 'order-1',
  headers: Record<string, string> = {},
) {
  return ask(desk, `/api/orders/${encodeURIComponent(token)}/update`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

test('lists the orders it knows, each with its draft and no outcome yet', async () => {
  const draft = buildOrderUpdate({ order_id: 'mine-1' });
  await using desk = await openTestDesk({ draft });
  expect(await ask(desk, '/api/orders')).toEqual({
    status: 200,
    body: { orders: [{ token: 'order-1', draft, report: null }] },
  });
});

test('sends an update exactly as given, and tells and remembers what became of it', async () => {
  await using desk = await openTestDesk();
  const update = buildOrderUpdate({ order_id: 'mine-1', note: { any: [1, null] } });
  const { status, body } = await send(desk, update);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ok: true,
    outcome: 'applied',
    attempts: 1,
    status: 200,
    data: { revision: 1 },
  });
  expect(body).toHaveProperty('receipt.attempts.0.outcome', 'applied');
  expect(desk.service.appliedTo('order-1')).toEqual([update]);
  expect(await ask(desk, '/api/orders')).toMatchObject({
    body: { orders: [{ draft: update, report: { outcome: 'applied' } }] },
  });
});

test('refuses a bad update with 422 and explains it, and sends nothing', async () => {
  await using desk = await openTestDesk();
  const { status, body } = await send(desk, {
    cart: { items: [{ quantity: 2.5 }] },
    purchase_currency: 'XYZ',
  });
  expect(status).toBe(422);
  expect(body).toMatchObject({
    ok: false,
    outcome: 'not_sent',
    attempts: 0,
    error: {
      code: 'invalid_request',
      issues: expect.arrayContaining([
        expect.objectContaining({
          path: 'cart.items[0].quantity',
          code: 'not_integer',
          hint: expect.any(String),
        }),
        expect.objectContaining({ path: 'purchase_currency', code: 'unknown_currency' }),
      ]),
    },
  });
  expect(desk.service.journal).toEqual([]);
});

test('lets through less than the page does when its own schema says so', async () => {
  await using desk = await openTestDesk({ schema: defineOrderUpdate({ currencies: ['NOK'] }) });
  const { status, body } = await send(desk, buildOrderUpdate({ purchase_currency: 'EUR' }));
  expect(status).toBe(422);
  expect(body).toMatchObject({ error: { issues: [{ path: 'purchase_currency' }] } });
});

test('tells an update that the order service refused, with its status and its words', async () => {
  await using desk = await openTestDesk({ strangers: ['a/b'] });
  const { status, body } = await send(desk, buildOrderUpdate(), 'a/b');
  expect(status).toBe(200);
  expect(body).toMatchObject({ ok: false, outcome: 'rejected', attempts: 1, status: 404 });
  expect(body).toHaveProperty('error.answer', expect.stringContaining('order_not_found'));
});

test('tells an update that never reached the order service', async () => {
  await using desk = await openTestDesk();
  await desk.service.close();
  expect(await send(desk, buildOrderUpdate())).toMatchObject({
    status: 200,
    body: { ok: false, outcome: 'not_sent', attempts: 1, error: { code: 'connection_failed' } },
  });
});

test.each([
  ['an order it does not know', { token: 'order-2' }, 404, 'unknown_order'],
  ['what is not JSON', { body: '{' }, 400, 'bad_request'],
  [
    'more than a mebibyte',
    { body: JSON.stringify({ cart: {}, more: 'x'.repeat(1_048_576) }) },
    413,
    'too_large',
  ],
  ['a form', { headers: { 'content-type': 'text/plain' } }, 415, 'not_json'],
] as const)('refuses %s, in JSON', async (_, given, status, code) => {
  await using desk = await openTestDesk();
  const { body = buildOrderUpdate(), token = 'order-1', headers = {} } = given as Partial<Given>;
  expect(await send(desk, body, token, headers)).toMatchObject({ status, body: { error: { code } } });
  expect(desk.service.journal).toEqual([]);
});

interface Given {
  readonly body: string;
  readonly token: string;
  readonly headers: Record<string, string>;
}

test('answers an unknown path with 404, in JSON', async () => {
  await using desk = await openTestDesk();
  expect(await ask(desk, '/api/order')).toMatchObject({
    status: 404,
    body: { error: { code: 'not_found' } },
  });
});
