import { execFile } from 'node:child_process';
import { inspect, promisify } from 'node:util';
import { bearer } from '@orders/auth';
import { defineOrderUpdate, type OrderUpdate } from '@orders/schema';
import { buildOrderUpdate, documentedExample, startMockOrderService } from '@orders/testing';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';
import { type AnyOrdersError, HttpError, ValidationError } from './errors.ts';
import { createOrdersClient } from './index.ts';

async function start(options: Parameters<typeof startMockOrderService>[0] = {}) {
  const service = await startMockOrderService({ orders: ['order_1234'], ...options });
  const orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  return {
    service,
    orders,
    async [Symbol.asyncDispose]() {
      await orders.close();
      await service.close();
    },
  };
}

test('the documented example is sent as given', async () => {
  await using running = await start();
  const { service, orders } = running;
  const result = await orders.updateOrder('order_1234', documentedExample());
  expect(result).toMatchObject({ outcome: 'applied', status: 200, attemptCount: 1 });
  expect(service.ledger.map(({ body }) => body)).toEqual([documentedExample()]);
  expect(service.journal[0]?.body.toString()).toBe(JSON.stringify(documentedExample()));
});

test('unknown fields are sent untouched, at every level and in the order given', async () => {
  await using running = await start();
  const { service, orders } = running;
  const update = {
    zebra: [null, { deep: 1e21 }],
    cart: { note: '✓', items: [{ price_list: { a: -0.5 }, sku: 'x' }] },
    hooks: { later: false, terms_url: 'https://shop.example/terms' },
    vat_amount: 2.5,
    merchant_order_id: 'm',
  };
  await orders.updateOrder('order_1234', update);
  expect(service.journal[0]?.body.toString()).toBe(JSON.stringify(update));
});

test('an update is sent as it was when the call was made', async () => {
  await using running = await start();
  const { service, orders } = running;
  const update = buildOrderUpdate({ order_id: 'before' });
  const sending = orders.updateOrder('order_1234', update);
  update.order_id = 'after';
  await sending;
  expect(service.ledger[0]?.body).toMatchObject({ order_id: 'before' });
});

test('an update is sent as it was validated, though a getter changes meanwhile', async () => {
  await using running = await start();
  const { service, orders } = running;
  const ids: unknown[] = ['validated', 7];
  const update = {
    cart: {},
    get order_id() {
      return (ids.length > 1 ? ids.shift() : ids[0]) as string;
    },
  };
  await orders.updateOrder('order_1234', update);
  expect(service.journal[0]?.body.toString()).toBe('{"cart":{},"order_id":"validated"}');
});

test('an order token is sent as one path segment', async () => {
  const token = 'a/b?c#d%2f';
  await using running = await start({ orders: [token] });
  const { service, orders } = running;
  await orders.updateOrder(token, buildOrderUpdate());
  expect(service.ledger.map((entry) => entry.token)).toEqual([token]);
  expect(service.journal[0]?.path).toBe('/v2/orders/a%2Fb%3Fc%23d%252f');
});

test.each(['', '.', '..', 'a\nb', '\ud83d'])(
  'the order token %j is refused before sending',
  async (token) => {
    await using running = await start();
    const { service, orders } = running;
    const error = await orders.updateOrder(token, buildOrderUpdate()).catch((reason) => reason);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ code: 'validation_error', outcome: 'not_sent', attemptCount: 0 });
    expect(error.issues).toMatchObject([{ path: 'order_token', code: 'invalid_token' }]);
    expect(service.journal).toEqual([]);
  },
);

test('an invalid update is refused before sending, with each path and hint', async () => {
  await using running = await start();
  const { service, orders } = running;
  const update = JSON.parse('{"cart":{"items":[{"quantity":"2","unit_price":399.79999}]},"orderId":"1"}');
  const result = await orders.safeUpdateOrder('order_1234', update);
  expect(result.ok ? undefined : result.error).toMatchObject({
    outcome: 'not_sent',
    issues: [{ path: 'cart.items[0].quantity' }, { path: 'cart.items[0].unit_price' }, { path: 'orderId' }],
  });
  expect(result.error?.message).toMatch(/cart\.items\[0\]\.unit_price: .*399\.79999.*orderId: .*order_id/);
  expect(service.journal).toEqual([]);
});

test('a body that JSON cannot hold is refused before sending', async () => {
  await using running = await start();
  const { service, orders } = running;
  const cycle: Record<string, unknown> = { cart: {} };
  cycle['self'] = cycle;
  for (const update of [cycle, { cart: new Map() }, { cart: { tax: Number.NaN } }, undefined, null, 'text']) {
    const result = await orders.safeUpdateOrder('order_1234', update as OrderUpdate);
    expect(result.error).toBeInstanceOf(ValidationError);
  }
  expect(service.journal).toEqual([]);
});

test('a wrong key is an HttpError 401 whose outcome is rejected', async () => {
  await using running = await start();
  await using orders = createOrdersClient({ baseUrl: running.service.url, apiKey: 'not-the-right-key' });
  const error = await orders.updateOrder('order_1234', buildOrderUpdate()).catch((reason) => reason);
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({ status: 401, outcome: 'rejected', attemptCount: 1, code: 'http_error' });
  expect(running.service.ledger).toEqual([]);
});

test('updates to one order leave in call order, to other orders at once', async () => {
  await using running = await start({ orders: ['order_1', 'order_2'] });
  const { service, orders } = running;
  const ids = Array.from({ length: 20 }, (_, index) => String(index));
  await Promise.all(ids.map((order_id) => orders.updateOrder('order_1', buildOrderUpdate({ order_id }))));
  expect(service.ledger.map(({ body }) => body['order_id'])).toEqual(ids);
});

test('results and errors narrow without casts, and misuse does not compile', () => {
  const Update = defineOrderUpdate({ totalAmount: 'total' });
  const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', schema: Update });
  expectTypeOf(orders.updateOrder).parameter(1).toHaveProperty('total');
  const misuse = async (): Promise<void> => {
    // @ts-expect-error a misspelled field
    await orders.updateOrder('t', { cart: {}, orderId: '1' });
    // @ts-expect-error an amount is a number
    await orders.updateOrder('t', { cart: {}, total: '1' });
    // @ts-expect-error a misspelled field of a line
    await orders.updateOrder('t', { cart: { items: [{ quantiy: 1 }] } });
    const result = await orders.safeUpdateOrder('t', { cart: {}, total: 1 });
    if (result.ok) {
      expectTypeOf(result.data).toEqualTypeOf<unknown>();
    } else {
      expectTypeOf(result.error).toEqualTypeOf<AnyOrdersError>();
      if (result.error.code === 'http_error') expectTypeOf(result.error.status).toEqualTypeOf<number>();
      if (result.error.code === 'timeout')
        expectTypeOf(result.error.phase).toEqualTypeOf<'queue' | 'connect' | 'headers' | 'body'>();
      // @ts-expect-error only an HttpError has a body
      void result.error.body;
    }
  };
  expect(misuse).toBeTypeOf('function');
});

test.each([
  [
    'throws',
    () => {
      throw new Error('boom');
    },
  ],
  ['is asynchronous', async () => true],
])('a schema check that %s is a validation error, in updateOrders too', async (_name, refinement) => {
  const note = z.optional(z.string().check(z.refine(refinement)));
  const schema = defineOrderUpdate({ fields: { order: { note } } });
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key, schema });
  const bad = { cart: {}, note: 'x' };
  const { error } = await orders.safeUpdateOrder('order_1234', bad);
  expect(error).toMatchObject({ code: 'validation_error', outcome: 'not_sent', retryable: false });
  expect(error?.message).toContain('The schema threw');
  const codes: unknown[] = [];
  const source = [bad, { cart: {} }].map((update) => ({ token: 'order_1234', update }));
  for await (const result of orders.updateOrders(source)) codes.push(result.error?.code);
  expect(codes.sort()).toEqual(['validation_error', undefined]);
});

const run = promisify(execFile);
const shellKey = 'swordfish-$(id)-"å"\'';
const shellToken = `it's/a?b#c {d} [e] $HOME`;
const forShell = { keys: { [shellKey]: 'SalesChannelApiKey' }, orders: [shellToken] };

test('a prepared update is sent as it was prepared, though the update changes meanwhile', async () => {
  await using running = await start(forShell);
  const { service, orders } = running;
  const update = buildOrderUpdate({ order_id: 'before' });
  const prepared = orders.prepareUpdateOrder(shellToken, update);
  const { body } = prepared;
  update.order_id = 'after';
  await expect(prepared.send()).resolves.toMatchObject({ outcome: 'applied' });
  expect(service.journal[0]?.body.toString()).toBe(body);
  expect(prepared.bodyBytes).toBe(service.journal[0]?.body.length);
  expect(`${service.url}${service.journal[0]?.path}`).toBe(prepared.url);
  expect(JSON.parse(body).order_id).toBe('before');
});

test('an invalid update is refused when it is prepared', async () => {
  await using running = await start(forShell);
  const { orders } = running;
  expect(() => orders.prepareUpdateOrder('..', buildOrderUpdate())).toThrow(ValidationError);
  expect(() => orders.prepareUpdateOrder(shellToken, JSON.parse('{}'))).toThrow(/cart/);
});

test('a prepared update prints without key, body and whole order token, and cannot be changed', async () => {
  await using running = await start(forShell);
  const { orders } = running;
  const prepared = orders.prepareUpdateOrder(
    'order_token_1234',
    buildOrderUpdate({ order_id: 'private-order' }),
  );
  const deep = { depth: Number.POSITIVE_INFINITY, showHidden: true };
  const printed = [
    inspect(prepared),
    inspect(prepared, deep),
    inspect(prepared, { ...deep, customInspect: false }),
    JSON.stringify(prepared),
    String(prepared),
  ].join('\n');
  expect(printed).toContain('…1234');
  expect(printed).not.toMatch(/swordfish|private-order|order_token/);
  for (const change of [{ body: '{}' }, { send: undefined }])
    expect(() => Object.assign(prepared, change)).toThrow(TypeError);
});

test.each([2, 3_000])('the curl command of an update of %d lines applies it', async (lines) => {
  await using running = await start(forShell);
  const { service, orders } = running;
  const items = Array.from({ length: lines }, (_, index) => ({
    sku: `it's ${index} "$HOME" \`id\` \\ ✓`,
    quantity: 1,
  }));
  const update = buildOrderUpdate({ cart: { items } });
  const curl = orders.prepareUpdateOrder(shellToken, update).toCurl();
  expect(curl).not.toContain('swordfish');
  const shell = run('sh', ['-s'], {
    env: { ...process.env, ORDERS_API_KEY: shellKey },
    maxBuffer: 8_000_000,
  });
  shell.child.stdin?.end(curl.replace('curl ', 'curl --silent --fail '));
  const { stdout } = await shell;
  expect(JSON.parse(stdout)).toMatchObject({ revision: 1 });
  expect(service.appliedUpdates(shellToken)).toEqual([update]);
});

test('the curl command sends all headers and a bearer token, and shows no token in the list of processes', async () => {
  await using server = await startRawServer((socket) => socket.end(httpAnswer(200, {}, '{}')));
  const bearerToken = 'swordfish.token';
  await using orders = createOrdersClient({
    baseUrl: server.url,
    credentials: bearer(bearerToken),
    headers: { 'X-Shop': `it's 1` },
  });
  const curl = orders.prepareUpdateOrder('order_1234', buildOrderUpdate()).toCurl();
  // Others on the machine can see what a process is started with.
  const started = curl.replace(
    'curl ',
    () => 'sh -c \'tr "\\0" " " < /proc/$$/cmdline >&2; exec curl --silent "$@"\' sh ',
  );
  const env = { ...process.env, ORDERS_BEARER_TOKEN: bearerToken };
  const shell = run('sh', ['-s'], { env });
  shell.child.stdin?.end(started);
  const { stdout, stderr } = await shell;
  expect(stdout).toBe('{}');
  expect(stderr).toContain('--data');
  expect(stderr).not.toContain(bearerToken);
  const [head = ''] = (server.requests[0] ?? '').toLowerCase().split('\r\n\r\n');
  expect(head).toContain(`authorization: bearer ${bearerToken}`);
  expect(head).toContain(`x-shop: it's 1`);
  expect(head).toContain('accept: application/json');
  expect(head).toContain('content-type: application/json');
});
