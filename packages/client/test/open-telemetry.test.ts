import { inspect } from 'node:util';
import { metrics, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { basic } from '@orders/auth';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOrdersClient } from '../src/index.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';

const update = buildOrderUpdate({ order_id: 'private-order' });
const apiKey = 'swordfish-swordfish';
const once = { maxAttempts: 1 } as const;

/** Watches as an application does that registers the instrumentation and nothing of ours. */
function startWatching() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const instrumentation = new UndiciInstrumentation();
  instrumentation.setTracerProvider(provider);
  instrumentation.enable();
  return {
    get spans(): ReadableSpan[] {
      return exporter.getFinishedSpans();
    },
    [Symbol.dispose]: () => instrumentation.disable(),
  };
}

/** Everything that a span holds, hidden fields and symbols included. */
function printed(spans: readonly ReadableSpan[]): string {
  return inspect(spans, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null });
}

function expectNoKey(spans: readonly ReadableSpan[], key: string): void {
  const text = printed(spans);
  expect(text).not.toContain(key);
  expect(text).not.toContain(basic(key).reveal().slice('Basic '.length));
  expect(text).not.toMatch(/authorization/i);
  expect(text).not.toContain('private-order');
}

test('an update makes a span of its method, URL and status that holds neither key nor body', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  using watch = startWatching();
  await orders.updateOrder('order_1234', update);
  expect(watch.spans).toMatchObject([
    {
      name: 'PATCH',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'http.request.method': 'PATCH',
        'http.response.status_code': 200,
        // The whole order token: the instrumentation's own hooks can leave it out.
        'url.full': `${service.url}/v2/orders/order_1234`,
        'url.path': '/v2/orders/order_1234',
      },
    },
  ]);
  expectNoKey(watch.spans, service.key);
});

test.each([
  ['a response', (key: string) => httpAnswer(400, { 'x-echo': key }, JSON.stringify({ key }))],
  ['bytes that are not HTTP', (key: string) => `${key}\r\n\r\n`],
  ['a header that breaks the parser', (key: string) => `HTTP/1.1 200 OK\r\nx-echo ${key}\r\n\r\n`],
])('a key that the service echoes in %s does not reach a span', async (_name, respond) => {
  await using server = await startRawServer((socket, request) => {
    const sent = /authorization: (.*)\r\n/i.exec(request)?.[1] ?? '';
    socket.end(respond(`${sent} ${apiKey}`));
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, retry: once });
  using watch = startWatching();
  await orders.safeUpdateOrder('order_1234', update);
  expect(watch.spans).toHaveLength(1);
  expectNoKey(watch.spans, apiKey);
});

test('a timeout and an abort each end their span, without a key', async () => {
  await using server = await startRawServer(() => controller.abort(new Error('enough')));
  const controller = new AbortController();
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, retry: once });
  using watch = startWatching();
  await orders.safeUpdateOrder('order_1234', update, { signal: controller.signal });
  await orders.safeUpdateOrder('order_1234', update, { timeouts: { attempt: 50 } });
  await orders.close();
  expect(watch.spans).toHaveLength(2);
  expectNoKey(watch.spans, apiKey);
});

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

/** Collects as the SDK of a program does, which may register it after the client was created. */
function startCollecting() {
  const reader = new Reader();
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  return {
    async collect() {
      const { resourceMetrics } = await reader.collect();
      return resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    },
    [Symbol.dispose]: () => metrics.disable(),
  };
}

test('counts the outcomes of updates and measures their calls, and leaves out the echo', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key, retry: once });
  await orders.updateOrder('order_1234', update);
  using watch = startCollecting();
  service.faults.next([{ type: 'none' }, { type: 'status', status: 422 }, { type: 'garbage' }]);
  for (let count = 0; count < 3; count++) await orders.safeUpdateOrder('order_1234', update);
  await orders.safeUpdateOrder('order_1234', { cart: { items: 'none' } } as never);
  await orders.echo();
  const [outcomes, duration] = await watch.collect();
  expect(outcomes?.descriptor).toMatchObject({ name: 'orders.update.outcomes', unit: '{update}' });
  expect(outcomes?.dataPoints.map(({ attributes, value }) => [attributes, value])).toEqual([
    [{ outcome: 'applied' }, 1],
    [{ outcome: 'rejected', code: 'http_error' }, 1],
    [{ outcome: 'unknown', code: 'connection_error' }, 1],
    [{ outcome: 'not_sent', code: 'validation_error' }, 1],
  ]);
  expect(duration?.descriptor).toMatchObject({ name: 'orders.update.duration', unit: 's' });
  // An invalid update is no call.
  expect(duration?.dataPoints.map(({ attributes }) => attributes)).toEqual([
    { outcome: 'applied' },
    { outcome: 'rejected' },
    { outcome: 'unknown' },
  ]);
});

test('has at most 28 series of outcomes, and 4 of durations, whatever the service and classifyResponse say', async () => {
  let next = '';
  let outcome: unknown;
  await using server = await startRawServer((socket) => socket.end(next));
  await using orders = createOrdersClient({
    baseUrl: server.url,
    apiKey,
    retry: once,
    classifyResponse: () => outcome as never,
  });
  using watch = startCollecting();
  const text = fc.string({ unit: 'grapheme-ascii' });
  const run = async (status: number, reason: string, body: string, chosen: unknown, token: string) => {
    outcome = chosen;
    next = `HTTP/1.1 ${status} ${reason}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    await orders.safeUpdateOrder(token, update);
  };
  const statuses = fc.oneof(fc.integer({ min: 200, max: 999 }), fc.integer());
  const chosen = fc.oneof(text, fc.constant(undefined), fc.constantFrom('applied', 'rejected', 'unknown'));
  await fc.assert(fc.asyncProperty(statuses, text, text, chosen, text, run), { numRuns: 200 });
  const [outcomes, duration] = await watch.collect();
  const allowed = {
    outcome: ['not_sent', 'rejected', 'applied', 'unknown'],
    code: ['validation_error', 'connection_error', 'timeout', 'http_error', 'invalid_response', 'aborted'],
  };
  for (const { attributes } of [...(outcomes?.dataPoints ?? []), ...(duration?.dataPoints ?? [])])
    for (const [name, value] of Object.entries(attributes))
      expect(allowed[name as keyof typeof allowed]).toContain(value);
  expect(outcomes?.dataPoints.length).toBeGreaterThan(3);
});

test('a meter that throws changes no outcome', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  metrics.setGlobalMeterProvider({
    getMeter() {
      throw new Error('on purpose');
    },
  });
  const { outcome } = await orders.updateOrder('order_1234', update);
  const { error } = await orders.safeUpdateOrder('', update);
  metrics.disable();
  expect([outcome, error?.code]).toEqual(['applied', 'validation_error']);
});
