import { tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { createOrdersClient } from './index.ts';
import type { OrdersRequestTrace } from './tracing.ts';

async function drain(results: AsyncIterable<unknown>): Promise<void> {
  for await (const _result of results);
}

function listen() {
  const seen: [event: string, trace: OrdersRequestTrace][] = [];
  const on = (event: string) => (trace: OrdersRequestTrace) => void seen.push([event, { ...trace }]);
  const handlers = Object.fromEntries(
    ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((event) => [event, on(event)]),
  );
  const channel = tracingChannel<unknown, OrdersRequestTrace>('orders.request');
  channel.subscribe(handlers as unknown as Parameters<typeof channel.subscribe>[0]);
  return {
    seen,
    [Symbol.dispose]: () =>
      void channel.unsubscribe(handlers as unknown as Parameters<typeof channel.unsubscribe>[0]),
  };
}

test('publishes a call from start to end without key, body or whole order token', async () => {
  await using service = await startMockOrderService({ orders: ['order_token_1234'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  using trace = listen();
  const update = buildOrderUpdate({ order_id: 'private-order' });
  await orders.updateOrder('order_token_1234', update);
  expect(trace.seen.map(([event]) => event)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
  expect(trace.seen.at(-1)?.[1]).toMatchObject({
    operation: 'update',
    method: 'PATCH',
    bodyBytes: JSON.stringify(update).length,
    outcome: 'applied',
    status: 200,
    attemptCount: 1,
  });
  const printed = inspect(trace.seen, { depth: Number.POSITIVE_INFINITY, showHidden: true });
  expect(printed).not.toMatch(/private-order|order_token/);
  expect(printed).not.toContain(service.key);
});

test('publishes the error of a call that fails, and throws it', async () => {
  await using service = await startMockOrderService({ orders: ['order_token_1234'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: 'wrong-key-wrong-key' });
  using trace = listen();
  const error = await orders.echo().catch((reason) => reason);
  expect(error).toMatchObject({ status: 401 });
  expect(trace.seen.map(([event]) => event)).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
  expect(trace.seen.at(-1)?.[1].error).toBe(error);
});

test.each([
  [{ type: 'none' }, 'applied', undefined, 200, 1],
  [{ type: 'status', status: 400 }, 'rejected', 'http_error', 400, 1],
  [{ type: 'status', status: 500 }, 'unknown', 'http_error', 500, 1],
  [{ type: 'garbage' }, 'unknown', 'connection_error', undefined, 1],
] as const)(
  'publishes duration, outcome, code and status of a call to %o',
  async (fault, outcome, code, status, attemptCount) => {
    await using service = await startMockOrderService({ orders: ['order_token_1234'] });
    await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
    using trace = listen();
    service.faults.next(fault);
    await orders.safeUpdateOrder('order_token_1234', buildOrderUpdate());
    const [, last] = trace.seen.at(-1) ?? [];
    expect(last).toMatchObject({ operation: 'update', method: 'PATCH', outcome, attemptCount });
    expect([last?.code, last?.status]).toEqual([code, status]);
    expect(last?.durationMs).toBeGreaterThan(0);
  },
);

test('publishes the end of calls that send nothing: invalid, aborted, too late, closed', async () => {
  await using service = await startMockOrderService({ orders: ['order_token_1234'] });
  const orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  using trace = listen();
  const invalid = { cart: { items: 'none' } } as never;
  const update = buildOrderUpdate();
  const last = () => trace.seen.at(-1)?.[1];
  const notSent = {
    operation: 'update',
    outcome: 'not_sent',
    attemptCount: 0,
    durationMs: expect.any(Number),
  };

  const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['validation_error', () => orders.updateOrder('order_token_1234', invalid)],
    ['validation_error', () => orders.safeUpdateOrder('order_token_1234', invalid)],
    ['validation_error', () => orders.safeUpdateOrder('', update)],
    ['validation_error', () => drain(orders.updateOrders([{ token: 'order_token_1234', update: invalid }]))],
    ['aborted', () => orders.safeUpdateOrder('order_token_1234', update, { signal: AbortSignal.abort() })],
    [
      'connection_error',
      async () => orders.close().then(() => orders.safeUpdateOrder('order_token_1234', update)),
    ],
  ];
  for (const [code, call] of calls) {
    const before = trace.seen.length;
    await call().catch(() => {});
    expect(trace.seen.slice(before).map(([event]) => event)).toEqual([
      'start',
      'end',
      'error',
      'asyncStart',
      'asyncEnd',
    ]);
    expect(last()).toMatchObject({ ...notSent, code });
  }
  expect(() => orders.prepareUpdateOrder('order_token_1234', invalid)).toThrow();
  expect(service.journal).toEqual([]);
});

test('has one operation for all orders', async () => {
  await using service = await startMockOrderService({ orders: ['order_a', 'order_b'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  using trace = listen();
  for (const token of ['order_a', 'order_b', 'ü%/?']) await orders.safeUpdateOrder(token, buildOrderUpdate());
  await orders.echo();
  const operations = new Set(trace.seen.map(([, { operation, method }]) => `${method} ${operation}`));
  expect([...operations]).toEqual(['PATCH update', 'GET echo']);
});
