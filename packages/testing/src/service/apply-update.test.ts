import { defineOrderUpdate } from '@orders/schema';
import { expect, expectTypeOf, test } from 'vitest';
import { codeOf, orderPath, send } from '../../test/send.ts';
import { buildOrderUpdate } from '../build-order-update.ts';
import { documentedExample } from '../documented-example.ts';
import type { OrderServiceErrorBody } from './answer.ts';
import { startOrderService } from './order-service.ts';

test('applies the documented example and answers with the order', async () => {
  await using service = await startOrderService();
  const { token } = service;
  const answer = await send(service, { body: documentedExample() });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json');
  expect(answer.json).toEqual({ token, revision: 1, order: documentedExample() });
  expect(service.appliedTo(token)).toEqual([documentedExample()]);
});

test('replaces the top-level fields given, the cart as a whole, and keeps the others', async () => {
  await using service = await startOrderService();
  await send(service, { body: { order_id: 'a', cart: { items: [{ sku: 'one' }] } } });
  await send(service, { body: { purchase_currency: 'SEK', cart: { items: [{ sku: 'two' }] } } });
  expect(service.order(service.token)).toEqual({
    token: service.token,
    revision: 2,
    data: { order_id: 'a', purchase_currency: 'SEK', cart: { items: [{ sku: 'two' }] } },
  });
});

test('keeps unknown fields at every level as they were given', async () => {
  await using service = await startOrderService();
  const body = buildOrderUpdate({
    merchant_note: { any: [1, null] },
    cart: { items: [{ colour: 'blue' } as object] },
  });
  await send(service, { body });
  expect(service.appliedTo(service.token)).toEqual([body]);
});

test('updates the order of the token alone', async () => {
  await using service = await startOrderService({ orders: ['one', 'two'] });
  await send(service, { path: orderPath('two') });
  expect(service.orders.map(({ token, revision }) => [token, revision])).toEqual([
    ['one', 0],
    ['two', 1],
  ]);
});

test('finds an order whose token holds every reserved character', async () => {
  const token = 'a/b?c#d%2f';
  await using service = await startOrderService({ orders: [token] });
  const answer = await send(service, { path: '/v2/orders/a%2Fb%3Fc%23d%252f' });
  expect(answer.status).toBe(200);
  expect(service.appliedTo(token)).toHaveLength(1);
});

test.each([
  ['nothing', ''],
  ['half of it', '{"cart":'],
  ['a form', 'cart=1'],
  ['a byte order mark first', '\ufeff{"cart":{}}'],
  [
    'a byte that is not UTF-8',
    Buffer.from([...Buffer.from('{"cart":{},"order_id":"'), 0xff, ...Buffer.from('"}')]),
  ],
])('refuses a body of %s with 400', async (_, body) => {
  await using service = await startOrderService();
  const answer = await send(service, { body });
  expect([answer.status, codeOf(answer)]).toEqual([400, 'body_not_json']);
  expect(service.ledger).toEqual([]);
});

test('refuses a body that breaks the schema with 422 and explains each issue', async () => {
  await using service = await startOrderService();
  const answer = await send(service, { body: { cart: { items: [{ unit_price: 1.5 }] }, orderId: 'a' } });
  expect(answer.status).toBe(422);
  expect(answer.json).toEqual({
    error: {
      code: 'body_refused',
      message: 'The body is not a valid order update: 2 issues.',
      issues: [
        {
          path: 'cart.items[0].unit_price',
          code: 'not_integer',
          message: expect.any(String),
          hint: expect.any(String),
        },
        { path: 'orderId', code: 'misspelled', message: expect.any(String), hint: expect.any(String) },
      ],
    },
  });
  expect(service.ledger).toEqual([]);
});

test.each(['null', '[]', '"cart"', '1'])('refuses the JSON %s with 422', async (body) => {
  await using service = await startOrderService();
  expect((await send(service, { body })).status).toBe(422);
});

test('explains the first hundred of many issues, and counts all', async () => {
  await using service = await startOrderService();
  const { json } = await send(service, { body: { cart: { items: Array(5_000).fill(0) } } });
  const { error } = json as OrderServiceErrorBody;
  expect(error.message).toContain('5000 issues');
  expect(error.issues).toHaveLength(100);
});

test('refuses an own __proto__ without touching any prototype', async () => {
  await using service = await startOrderService();
  const answer = await send(service, { body: '{"cart":{},"__proto__":{"polluted":true}}' });
  expect(answer.status).toBe(422);
  expect(service.order(service.token)?.data).toEqual({});
});

test('answers a body that is nested too deep without applying it, and lives on', async () => {
  await using service = await startOrderService();
  const deep = `{"cart":{},"deep":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
  const answer = await send(service, { body: deep });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(service.ledger).toEqual([]);
  expect((await send(service)).status).toBe(200);
});

test('answers 500 when a given schema throws, and applies nothing', async () => {
  const schema = defineOrderUpdate();
  const broken = Object.assign(Object.create(schema), {
    safeParse() {
      throw new Error('out of ideas');
    },
  });
  await using service = await startOrderService({ schema: broken });
  const answer = await send(service);
  expect([answer.status, codeOf(answer)]).toEqual([500, 'service_failed']);
  expect(service.ledger).toEqual([]);
});

test('checks by the schema it is given, and types what it applied', async () => {
  const schema = defineOrderUpdate({ metadata: ['note'], totalAmount: 'total' });
  await using service = await startOrderService({ schema });
  expect((await send(service, { body: { cart: {}, total: 'ten' } })).status).toBe(422);
  expect((await send(service, { body: { cart: {}, total: 10, note: 'gift' } })).status).toBe(200);
  const [applied] = service.appliedTo(service.token);
  expect(applied).toEqual({ cart: {}, total: 10, note: 'gift' });
  expectTypeOf(applied?.total).toEqualTypeOf<number | undefined>();
});
