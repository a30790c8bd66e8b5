import { tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { createOrdersClient } from './index.ts';
import type { OrdersRequestTrace } from './tracing.ts';

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
    operation: 'PATCH /v2/orders/…1234',
    bodyBytes: JSON.stringify(update).length,
    result: { outcome: 'applied', status: 200, attemptCount: 1 },
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
