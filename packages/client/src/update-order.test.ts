import { execFile } from 'node:child_process';
import { inspect, promisify } from 'node:util';
import { bearer } from '@orders/auth';
import { defineOrderUpdate, type OrderUpdate } from '@orders/schema';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';
import { type OrdersError, ValidationError } from './errors.ts';
import { createOrdersClient } from './index.ts';

const token = 'order_1234';

test('an update is sent as it was validated, though it changes meanwhile', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const ids: unknown[] = ['validated', 7];
  const update: OrderUpdate = {
    cart: {},
    get order_id() {
      return (ids.length > 1 ? ids.shift() : ids[0]) as string;
    },
  };
  const sending = orders.updateOrder(token, update);
  update.cart = { items: [] };
  await sending;
  expect(service.journal[0]?.body.toString()).toBe('{"cart":{},"order_id":"validated"}');
});

test.each([Array.prototype, Object.prototype])(
  'an update is sent as it is in a process whose %o has a toJSON',
  async (prototype) => {
    await using service = await startMockOrderService({ orders: [token] });
    await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
    const update = { cart: { items: [{ sku: 'mug', quantity: 2 }] }, order_id: '1' };
    const body = JSON.stringify(update);
    Object.defineProperty(prototype, 'toJSON', { value: () => 'changed', configurable: true });
    const sending = orders.updateOrder(token, update);
    Reflect.deleteProperty(prototype, 'toJSON');
    await sending;
    expect(service.journal[0]?.body.toString()).toBe(body);
  },
);

test.each(['', '.', '..', 'a\nb', '\ud83d'])(
  'the order token %j is refused before sending',
  async (wrong) => {
    await using service = await startMockOrderService();
    await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
    const error = await orders.updateOrder(wrong, buildOrderUpdate()).catch((reason) => reason);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ code: 'validation_error', outcome: 'not_sent', attemptCount: 0 });
    expect(error.issues).toMatchObject([{ path: 'order_token', code: 'invalid_token' }]);
    expect(service.journal).toEqual([]);
  },
);

test('an invalid update is refused before sending, with each path and hint', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const update = JSON.parse('{"cart":{"items":[{"quantity":"2","unit_price":399.79999}]},"orderId":"1"}');
  const result = await orders.safeUpdateOrder('order_1234', update);
  expect(result.ok ? undefined : result.error).toMatchObject({
    outcome: 'not_sent',
    issues: [{ path: 'cart.items[0].quantity' }, { path: 'cart.items[0].unit_price' }, { path: 'orderId' }],
  });
  expect(result.error?.message).toMatch(/cart\.items\[0\]\.unit_price: .*399\.79999.*orderId: .*order_id/);
  expect(service.journal).toEqual([]);
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
      expectTypeOf(result.error).toEqualTypeOf<OrdersError>();
      if (result.error.code === 'http_error') expectTypeOf(result.error.status).toEqualTypeOf<number>();
      if (result.error.code === 'timeout')
        expectTypeOf(result.error.phase).toEqualTypeOf<'queue' | 'connect' | 'headers' | 'body'>();
      // @ts-expect-error only an HttpError has a body
      void result.error.body;
    }
  };
  expect(misuse).toBeTypeOf('function');
});

const throwError = (): never => {
  throw new Error('boom');
};

test.each([
  ['throws', throwError],
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
  await using service = await startMockOrderService(forShell);
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
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

test('an invalid update is refused when it is prepared', () => {
  const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey: shellKey });
  expect(() => orders.prepareUpdateOrder('..', buildOrderUpdate())).toThrow(ValidationError);
  expect(() => orders.prepareUpdateOrder(shellToken, JSON.parse('{}'))).toThrow(/cart/);
});

test('a prepared update prints without key, body and whole order token, and cannot be changed', () => {
  const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey: shellKey });
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
  await using service = await startMockOrderService(forShell);
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
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
