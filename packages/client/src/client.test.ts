import type { Socket } from 'node:net';
import { buildOrderUpdate } from '@orders/testing';
import { expect, expectTypeOf, test } from 'vitest';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';
import { createOrdersClient } from './index.ts';

const apiKey = 'swordfish-swordfish';
const update = buildOrderUpdate();

test('adds the headers of the client and of the call', async () => {
  await using server = await startRawServer((socket) => socket.write(httpAnswer(200, {}, '{}')));
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, headers: { 'X-Shop': '1' } });
  await orders.echo({ headers: { 'x-call': '2' } });
  expect(server.requests[0]).toMatch(/^x-shop: 1\r\nx-call: 2\r\n/m);
});

test('with ordering "none" updates of one order leave at once, those of a run, too', async () => {
  const waiting: Socket[] = [];
  await using server = await startRawServer((socket) => {
    waiting.push(socket);
    // Each waits for the other.
    if (waiting.length === 2) for (const each of waiting.splice(0)) each.write(httpAnswer(200, {}, '{}'));
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, ordering: 'none' });
  await Promise.all([orders.updateOrder('order_1234', update), orders.updateOrder('order_1234', update)]);
  const item = { token: 'order_1234', update };
  for await (const { ok } of orders.updateOrders([item, item])) expect(ok).toBe(true);
});

test('destroy aborts all calls with their outcomes, and resolves like close whatever the order', async () => {
  const arrived = Promise.withResolvers<void>();
  await using server = await startRawServer(() => arrived.resolve());
  const orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const sent = orders.safeUpdateOrder('order_1234', update);
  const queued = orders.safeUpdateOrder('order_1234', update);
  const hanging = orders.safeUpdateOrder('order_5678', update, {
    beforeAttempt: () => new Promise(() => {}),
  });
  await arrived.promise;
  await Promise.all([orders.destroy(), orders.close(), orders.destroy()]);
  expect((await sent).error).toMatchObject({ code: 'aborted', outcome: 'unknown', retryable: false });
  expect((await sent).error?.cause).toEqual(new Error('The client was destroyed.'));
  for (const { error } of await Promise.all([queued, hanging]))
    expect(error).toMatchObject({ code: 'aborted', outcome: 'not_sent', attemptCount: 0 });
  expect(server.requests).toHaveLength(1);
});

test('the responseSchema of the client is for updates without one of their own, and not for the echo', async () => {
  await using server = await startRawServer((socket) => socket.write(httpAnswer(200, {}, '{"id":7}')));
  const schemaOf = <Value>(value: Value, issues?: { message: string }[]) => ({
    '~standard': {
      version: 1 as const,
      vendor: 'test',
      validate: async () => (issues ? { issues } : { value }),
    },
  });
  const responseSchema = schemaOf('client');
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, responseSchema });
  const { data } = await orders.updateOrder('order_1234', update);
  expectTypeOf(data).toEqualTypeOf<string>();
  expect(data).toBe('client');
  const own = await orders.safeUpdateOrder('order_1234', update, { responseSchema: schemaOf(1) });
  if (own.ok) expectTypeOf(own.data).toEqualTypeOf<number>();
  expect(own.data).toBe(1);
  const refusing = schemaOf(1, [{ message: 'no name' }]);
  const refused = await orders.safeUpdateOrder('order_1234', update, { responseSchema: refusing });
  expect(refused.error).toMatchObject({ code: 'invalid_response', outcome: 'applied', attemptCount: 1 });
  expect(refused.error?.message).toContain('data that responseSchema refuses: no name');
  const echo = await orders.echo();
  expectTypeOf(echo.data).toEqualTypeOf<unknown>();
  expect(echo.data).toEqual({ id: 7 });
});

test.each([
  [undefined, 'is the variable of apiKey set?'],
  ['', 'is the variable of apiKey set?'],
  ['a:colon', 'the credentials cannot be used'],
  ['a-line-break\n', 'the credentials cannot be used'],
])('an apiKey function that returns %j sends nothing', async (key, message) => {
  const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey: () => key });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ code: 'connection_error', outcome: 'not_sent', attemptCount: 1 });
  expect(error).toMatchObject({ retryable: false, message: expect.stringContaining(message) });
});

test('neither validation, nor an abort, nor a closed client is retryable', async () => {
  const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey });
  const invalid = await orders.safeUpdateOrder('order_1234', JSON.parse('{}'));
  const aborted = await orders.safeUpdateOrder('order_1234', update, { signal: AbortSignal.abort('early') });
  await orders.close();
  const closed = await orders.safeUpdateOrder('order_1234', update);
  const notSent = { outcome: 'not_sent', attemptCount: 0, retryable: false };
  expect(invalid.error).toMatchObject({ code: 'validation_error', ...notSent });
  expect(aborted.error).toMatchObject({ code: 'aborted', cause: 'early', ...notSent });
  expect(closed.error).toMatchObject({ code: 'connection_error', ...notSent });
  expect(closed.error?.message).toContain('the client is closed');
});
