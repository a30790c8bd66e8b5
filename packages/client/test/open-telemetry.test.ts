import { inspect } from 'node:util';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { basic } from '@orders/auth';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
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
