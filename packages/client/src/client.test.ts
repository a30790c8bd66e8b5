import { inspect } from 'node:util';
import { basic } from '@orders/auth';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, expectTypeOf, test } from 'vitest';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';
import { createOrdersClient as createOverFetch } from './fetch.ts';
import { createOrdersClient } from './index.ts';
import type { OrdersClientOptions } from './options.ts';

const baseUrl = 'http://127.0.0.1:1';
const apiKey = 'swordfish-swordfish';

test.each<[string, unknown, RegExp]>([
  ['no key', { baseUrl }, /apiKey/],
  ['both a key and credentials', { baseUrl, apiKey, credentials: basic(apiKey) }, /apiKey/],
  ['a key with a colon', { baseUrl, apiKey: `${apiKey}:` }, /colon/],
  ['credentials that are a string', { baseUrl, credentials: apiKey }, /credentials/],
  ['no base URL', { apiKey }, /baseUrl/],
  ['plain http to another machine', { baseUrl: 'http://example.com', apiKey }, /https/],
  ['an attempt timeout of 0', { baseUrl, apiKey, timeouts: { attempt: 0 } }, /timeouts\.attempt/],
  [
    'a timeout longer than timers allow',
    { baseUrl, apiKey, timeouts: { total: 2 ** 31 } },
    /timeouts\.total/,
  ],
  ['no attempts', { baseUrl, apiKey, retry: { maxAttempts: 0 } }, /maxAttempts/],
  ['an Authorization header', { baseUrl, apiKey, headers: { Authorization: 'x' } }, /Authorization/],
  ['a response limit of 0', { baseUrl, apiKey, maxResponseBytes: 0 }, /maxResponseBytes/],
])('refuses %s with a TypeError that says what to write', (_name, options, message) => {
  const create = () => createOrdersClient(options as OrdersClientOptions);
  expect(create).toThrow(TypeError);
  expect(create).toThrow(message);
  expect(create).not.toThrow(/swordfish/);
});

test('refuses to run in a browser without dangerouslyAllowBrowser', () => {
  const page = Object.assign(globalThis, { window: {}, document: {} }) as Partial<Record<string, unknown>>;
  try {
    expect(() => createOrdersClient({ baseUrl, apiKey })).toThrow(/browser/);
    expect(createOrdersClient({ baseUrl, apiKey, dangerouslyAllowBrowser: true })).toBeDefined();
  } finally {
    delete page['window'];
    delete page['document'];
  }
});

test('adds the headers of the client and of the call', async () => {
  await using server = await startRawServer((socket) => socket.write(httpAnswer(200, {}, '{}')));
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, headers: { 'X-Shop': '1' } });
  await orders.echo({ headers: { 'x-call': '2' } });
  expect(server.requests[0]).toMatch(/^x-shop: 1\r\nx-call: 2\r\n/m);
});

test('puts a path of the base URL before each operation', async () => {
  await using server = await startRawServer((socket) => socket.write(httpAnswer(200, {}, '{}')));
  await using orders = createOrdersClient({ baseUrl: `${server.url}/pay/`, apiKey });
  await orders.echo();
  expect(server.requests[0]).toMatch(/^GET \/pay\/v2\/echo_with_private_key HTTP\/1\.1\r\n/);
});

test('calls a credentials function before each attempt, so that keys can rotate', async () => {
  const keys = ['expired-key', 'current-key'];
  await using service = await startMockOrderService({
    orders: ['order_1234'],
    keys: { 'current-key': 'SalesChannelApiKey' },
  });
  await using orders = createOrdersClient({
    baseUrl: service.url,
    credentials: async () => basic(keys.shift() ?? ''),
  });
  await expect(orders.echo()).rejects.toMatchObject({ status: 401 });
  await expect(orders.echo()).resolves.toMatchObject({ status: 200 });
});

test('responseSchema checks and types the data; data that it refuses is applied', async () => {
  await using server = await startRawServer((socket) => socket.write(httpAnswer(200, {}, '{"id":7}')));
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const responseSchema = (message?: string) => ({
    '~standard': {
      version: 1 as const,
      vendor: 'test',
      validate: async (value: unknown) =>
        message ? { issues: [{ message }] } : { value: (value as { id: number }).id },
    },
  });
  const { data } = await orders.updateOrder('order_1234', buildOrderUpdate(), {
    responseSchema: responseSchema(),
  });
  expect(data satisfies number).toBe(7);
  const refused = orders.updateOrder('order_1234', buildOrderUpdate(), {
    responseSchema: responseSchema('no name'),
  });
  await expect(refused).rejects.toMatchObject({
    code: 'invalid_response',
    outcome: 'applied',
    attemptCount: 1,
  });
});

test('close waits for calls in flight, and a later call is not sent', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'], latencyMs: 30 });
  const orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const inFlight = orders.updateOrder('order_1234', buildOrderUpdate());
  await orders.close();
  await expect(inFlight).resolves.toMatchObject({ outcome: 'applied' });
  const late = await orders.safeUpdateOrder('order_1234', buildOrderUpdate());
  expect(late.error).toMatchObject({ code: 'connection_error', outcome: 'not_sent', attemptCount: 0 });
  expect(service.ledger).toHaveLength(1);
});

test('destroy aborts the calls in flight with their outcomes', async () => {
  const arrived = Promise.withResolvers<void>();
  await using server = await startRawServer(() => arrived.resolve());
  const orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const update = buildOrderUpdate();
  const sent = orders.safeUpdateOrder('order_1234', update);
  const queued = orders.safeUpdateOrder('order_1234', update);
  await arrived.promise;
  await orders.destroy();
  expect((await sent).error).toMatchObject({ code: 'aborted', outcome: 'unknown', retryable: false });
  expect((await sent).error?.cause).toEqual(new Error('The client was destroyed.'));
  expect((await queued).error).toMatchObject({ code: 'aborted', outcome: 'not_sent', attemptCount: 0 });
  expect((await orders.safeUpdateOrder('order_1234', update)).error?.message).toContain(
    'the client is closed',
  );
  expect(server.requests).toHaveLength(1);
});

test('destroy aborts a call whose hook hangs, and resolves like close whatever the order', async () => {
  const orders = createOrdersClient({ baseUrl, apiKey });
  const hanging = orders.safeUpdateOrder('order_1234', buildOrderUpdate(), {
    beforeAttempt: () => new Promise(() => {}),
  });
  await Promise.all([orders.destroy(), orders.close(), orders.destroy()]);
  expect((await hanging).error).toMatchObject({ code: 'aborted', outcome: 'not_sent' });
});

test('the responseSchema of the client is for updates without one of their own, and not for the echo', async () => {
  await using server = await startRawServer((socket) => socket.write(httpAnswer(200, {}, '{"id":7}')));
  const schemaOf = <Value>(value: Value) => ({
    '~standard': { version: 1 as const, vendor: 'test', validate: () => ({ value }) },
  });
  await using orders = createOrdersClient({
    baseUrl: server.url,
    apiKey,
    responseSchema: schemaOf('client'),
  });
  const update = buildOrderUpdate();
  const { data } = await orders.updateOrder('order_1234', update);
  expectTypeOf(data).toEqualTypeOf<string>();
  expect(data).toBe('client');
  const own = await orders.safeUpdateOrder('order_1234', update, { responseSchema: schemaOf(1) });
  if (own.ok) expectTypeOf(own.data).toEqualTypeOf<number>();
  expect(own.data).toBe(1);
  const echo = await orders.echo();
  expectTypeOf(echo.data).toEqualTypeOf<unknown>();
  expect(echo.data).toEqual({ id: 7 });
});

test('an apiKey function is called at each attempt, and not when the client is created', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  let key: string | undefined;
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: () => key });
  for (key of [undefined, '']) {
    const error = await orders.echo().catch((reason) => reason);
    expect(error).toMatchObject({ code: 'connection_error', outcome: 'not_sent', attemptCount: 1 });
    expect(error.message).toContain('is the variable of apiKey set?');
  }
  for (key of ['a:colon', 'a-line-break\n']) {
    const error = await orders.echo().catch((reason) => reason);
    expect(error).toMatchObject({ outcome: 'not_sent', attemptCount: 1, retryable: false });
    expect(error.message).toContain('the credentials cannot be used');
  }
  key = service.key;
  await expect(orders.echo()).resolves.toMatchObject({ status: 200 });
  expect(inspect(orders, { depth: 9, showHidden: true })).not.toContain(service.key);
});

test('transport names what requests are sent with', () => {
  expect(createOrdersClient({ baseUrl, apiKey }).transport).toBe('undici');
  expect(createOverFetch({ baseUrl, apiKey }).transport).toBe('fetch');
  expect(() => createOrdersClient({ baseUrl, apiKey, fetch })).toThrow(
    'fetch: this client sends over undici',
  );
});

test('neither validation, nor an abort, nor a closed client is retryable', async () => {
  const orders = createOrdersClient({ baseUrl, apiKey });
  const update = buildOrderUpdate();
  const invalid = await orders.safeUpdateOrder('order_1234', JSON.parse('{}'));
  const aborted = await orders.safeUpdateOrder('order_1234', update, { signal: AbortSignal.abort('early') });
  await orders.close();
  const closed = await orders.safeUpdateOrder('order_1234', update);
  const notSent = { outcome: 'not_sent', attemptCount: 0, retryable: false };
  expect(invalid.error).toMatchObject({ code: 'validation_error', ...notSent });
  expect(aborted.error).toMatchObject({ code: 'aborted', cause: 'early', ...notSent });
  expect(closed.error).toMatchObject({ code: 'connection_error', ...notSent });
});
