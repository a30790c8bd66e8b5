import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { type SpanContext, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { createOrdersClient, type OrdersClient, type UpdateOrderResult } from '@orders/client';
import { createInbox } from '@orders/outbox/inbox';
import fc from 'fast-check';
import { expect } from 'vitest';
import { characterEscapes } from '../../../.ci/redaction-cases.ts';
import { quickly } from '../../../.ci/start-quickly.ts';
import { startRawServer } from '../../client/test/raw-server.ts';
import { onBoth, onPglite, onPostgres, type Scene, step } from './scene.ts';
import { pointsOf, watchTelemetry } from './watch-telemetry.ts';

// The providers are one for a process.
const alone = { isAlone: true };
const start = promisify(execFile);

/** Does something in a span, as a request of a shop has one. */
function inSpan<T>(name: string, run: () => Promise<T>): Promise<{ result: T; cause: SpanContext }> {
  return trace.getTracer('shop').startActiveSpan(name, async (span) => {
    const result = await run();
    span.end();
    return { result, cause: span.spanContext() };
  });
}

/** Sends what is due in another process, and returns its spans. */
async function sendElsewhere({ service, postgres, schema }: Scene) {
  const { connectionString } = postgres;
  const orders = { baseUrl: service.url, apiKey: service.key, connectionString, schema };
  const script = join(import.meta.dirname, 'telemetry-child.ts');
  const flags = [...quickly.flags, '--conditions=@orders/source', script, JSON.stringify(orders)];
  const env = { ...quickly.env, ...process.env };
  const { stdout } = await start(process.execPath, flags, { env });
  const spans: readonly {
    readonly name: string;
    readonly kind: SpanKind;
    readonly attributes: object;
    readonly links: readonly SpanContext[];
    readonly parent?: SpanContext;
    readonly own: SpanContext;
  }[] = JSON.parse(stdout);
  return (name: string) => spans.filter((span) => span.name === name);
}

onPostgres(
  'links the send in another process, an hour later, to the request that enqueued',
  async (scene) => {
    const { open, sql, schema, token } = scene;
    using telemetry = watchTelemetry();
    const outbox = await open();
    const { result: id, cause } = await inSpan('checkout', () => outbox.enqueue(token, step(1)));
    await inSpan('import', () => outbox.enqueueAll([{ token: 'order_of_import', update: step(1) }]));
    await sql.query(`update ${schema}.updates set created_at = created_at - interval '1 hour'`);
    const collected = await telemetry.collect();
    const due = pointsOf(collected).get('orders.outbox.oldest_due');
    expect(due?.dataPoints[0]?.value).toBeGreaterThanOrEqual(3_600);
    // pg-boss has spans and metrics of its own.
    expect(telemetry.spans.map(({ name }) => name)).toEqual(['checkout', 'import']);
    expect(collected.scopeMetrics.map(({ scope }) => scope.name)).toEqual(['@orders/outbox']);

    const named = await sendElsewhere(scene);
    const sends = named('orders.outbox.send');
    const send = sends.find(
      ({ attributes }) => 'orders.update.id' in attributes && attributes['orders.update.id'] === id,
    );
    expect(sends).toHaveLength(2);
    expect(send).toEqual({
      name: 'orders.outbox.send',
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': 'PATCH',
        'url.template': '/v2/orders/{order_token}',
        'orders.update.id': id,
        'orders.update.attempt': 1,
        'orders.outcome': 'applied',
        'http.response.status_code': 200,
      },
      links: [{ traceId: cause.traceId, spanId: cause.spanId, traceFlags: 1, isRemote: true }],
      own: expect.objectContaining({ traceFlags: 1 }),
    });
    expect(send?.own.traceId).not.toBe(cause.traceId);
    const patches = named('PATCH');
    expect(patches.map(({ parent }) => parent?.spanId)).toEqual(
      expect.arrayContaining(sends.map(({ own }) => own.spanId)),
    );
    expect(new Set(patches.map(({ own }) => own.traceId))).toEqual(
      new Set(sends.map(({ own }) => own.traceId)),
    );
  },
  alone,
);

onBoth(
  'links what a handler of the inbox enqueues to the handler, and the handler to the delivery',
  async ({ open, openStore, schema, token }) => {
    using telemetry = watchTelemetry();
    const store = await openStore();
    const outbox = await open({ store });
    await using inbox = createInbox({
      store,
      verify: (body) => JSON.parse(new TextDecoder().decode(body)),
      id: 'id',
      token: 'token',
      databaseSchema: schema,
      handler: (event, { tx }) => outbox.enqueue(event.token, step(1), { tx }),
    });
    const request = { method: 'POST', body: JSON.stringify({ id: 'evt_1', token }) };
    const { result, cause } = await inSpan('delivery', () =>
      inbox.receive(new Request('https://shop.example/hooks', request)),
    );
    expect(result.status).toBe(204);
    await inbox.drain();
    await outbox.drain();
    const [handle, send] = ['orders.inbox.handle', 'orders.outbox.send'].map((name) =>
      telemetry.spans.find((span) => span.name === name),
    );
    expect(handle?.links[0]?.context).toMatchObject({ traceId: cause.traceId, spanId: cause.spanId });
    expect(handle?.parentSpanContext).toBeUndefined();
    expect(send?.links[0]?.context).toMatchObject({ spanId: handle?.spanContext().spanId });
  },
  alone,
);

onPglite(
  'stores the context that enqueue is given before the one that is active, and links to none that is not valid',
  async ({ open, token }) => {
    using telemetry = watchTelemetry();
    const outbox = await open();
    const given = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const contexts = [given, '00-00000000000000000000000000000000-b7ad6b7169203331-01', 'ff-00-00'];
    for (const traceparent of contexts)
      await inSpan('checkout', () => outbox.enqueue(token, step(1), { traceparent }));
    const id = await outbox.enqueue(token, step(1));
    expect(await outbox.get(id)).not.toHaveProperty('traceparent');
    await outbox.drain();
    const sends = telemetry.spans.filter(({ name }) => name === 'orders.outbox.send');
    expect(sends.map(({ links }) => links.map(({ context }) => context.traceId))).toEqual([
      ['0af7651916cd43dd8448eb211c80319c'],
      [],
      [],
      [],
    ]);
  },
  alone,
);

/** Every text in a value, the names of its fields too. */
function textsOf(value: unknown, seen = new Set<unknown>()): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  const entries = value instanceof Map ? [...value] : [];
  const fields = Reflect.ownKeys(value).flatMap((name) => [String(name), Reflect.get(value, name)]);
  return [...entries, ...fields].flatMap((each) => textsOf(each, seen));
}

/** A text as it may stand in another, whatever encoded it. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const shifted = [0, 1, 2].map((count) =>
    Buffer.concat([Buffer.alloc(count), bytes])
      .toString('base64')
      .slice(count === 0 ? 0 : 4, -4),
  );
  const escaped = Object.values(characterEscapes).map((write) => [...secret].map(write).join(''));
  return [
    ...escaped,
    ...shifted,
    bytes.toString('hex'),
    encodeURIComponent(secret),
    bytes.toString('latin1'),
  ];
}

const secret = fc.string({
  unit: fc.constantFrom(...'abcdefgXYZ0123456789-_.~+/=%&<>"üß'),
  minLength: 16,
  maxLength: 30,
});

onPglite(
  'exports neither key nor token nor body, whatever the service does with them',
  async ({ open, sql, schema }) => {
    using telemetry = watchTelemetry();
    const faults = ['echo', 'status text', 'garbage', 'header', 'reset'] as const;
    const run = async (key: string, token: string, sku: string, fault: string, status: number) => {
      telemetry.reset();
      await using server = await startRawServer((socket, request) => {
        if (request.startsWith('GET')) return socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        const all = `${key} ${token} ${encodeURIComponent(token)} ${sku} ${request}`;
        const line = all.replace(/[\r\n]+/g, ' ');
        const length = Buffer.byteLength(all);
        if (fault === 'reset') return socket.resetAndDestroy();
        if (fault === 'garbage') return socket.end(all);
        if (fault === 'header') return socket.end(`HTTP/1.1 ${status} OK\r\nx ${line}\r\n\r\n`);
        const reason = fault === 'status text' ? line : 'Whatever';
        const headers = `x-echo: ${line}\r\nx-request-id: ${line}\r\ncontent-length: ${length}`;
        return socket.end(`HTTP/1.1 ${status} ${reason}\r\n${headers}\r\n\r\n${all}`);
      });
      await using client = createOrdersClient({ baseUrl: server.url, apiKey: key });
      await using outbox = await open({ client });
      // The breaker of the run before.
      await sql.query(`update ${schema}.limits set until = '-infinity', data = null`);
      await inSpan('checkout', () => outbox.enqueue(token, { cart: { items: [{ sku }] } }));
      await outbox.drain();
      await outbox.purge({ token });
      const names = telemetry.spans.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['orders.outbox.send', 'PATCH']));
      const text = [telemetry.spans, await telemetry.collect()].flatMap((each) => textsOf(each)).join('\n');
      for (const each of [key, token, sku])
        for (const form of formsOf(each)) expect(text.includes(form), `${each} as ${form}`).toBe(false);
    };
    const status = fc.integer({ min: 200, max: 599 }).filter((code) => code !== 429);
    await fc.assert(fc.asyncProperty(secret, secret, secret, fc.constantFrom(...faults), status, run), {
      numRuns: 30,
    });
  },
  alone,
);

const states = ['queued', 'sending', 'needs_review', 'rejected'];
const anything = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toString', 'aborted'));

onPglite(
  'has a fixed number of series, whatever codes, outcomes and states there are',
  async ({ open, sql, schema, service, client }) => {
    using telemetry = watchTelemetry();
    let next: object = {};
    const own = { ...client, safeUpdateOrder: async () => next as UpdateOrderResult };
    const types = new Set<unknown>();
    const run = async (code: string, outcome: string, status: number, message: string, state: string) => {
      telemetry.reset();
      next = { ok: false, outcome, error: { code, outcome, status, message } };
      await using outbox = await open({ client: own as OrdersClient, onUnknown: () => 'discard' });
      await sql.query(`update ${schema}.limits set until = '-infinity', data = null`);
      await outbox.enqueue(service.orders[0]?.token ?? '', step(1));
      await outbox.drain();
      const id = await outbox.enqueue(service.orders[1]?.token ?? '', step(1));
      await sql.query(`update ${schema}.updates set state = $2, open = true where id = $1`, [
        id,
        `x${state.replaceAll('\0', '')}`,
      ]);
      const points = pointsOf(await telemetry.collect());
      expect([...points.keys()].toSorted()).toEqual(['orders.outbox.oldest_due', 'orders.outbox.updates']);
      expect(points.get('orders.outbox.updates')?.dataPoints.map(({ attributes }) => attributes)).toEqual(
        states.map((each) => ({ schema, state: each })),
      );
      const isSend = ({ name }: ReadableSpan) => name === 'orders.outbox.send';
      for (const { attributes, status: end, events } of telemetry.spans.filter(isSend)) {
        types.add(attributes['error.type']);
        expect(events).toEqual([]);
        expect(end).toEqual({ code: SpanStatusCode.ERROR });
      }
      for (const each of service.orders.slice(0, 2)) await outbox.purge({ token: each.token });
    };
    await fc.assert(fc.asyncProperty(anything, anything, fc.integer(), fc.string(), anything, run), {
      numRuns: 25,
    });
    const known = [
      'validation_error',
      'connection_error',
      'timeout',
      'http_error',
      'invalid_response',
      'aborted',
    ];
    expect(['_OTHER', ...known]).toEqual(expect.arrayContaining([...types]));
    expect(types.size).toBeGreaterThan(0);
  },
  alone,
);

onPglite(
  'an exporter of the program that throws changes no outcome',
  async ({ open, token }) => {
    const broken = (): never => {
      throw new Error('on purpose');
    };
    const processor = {
      onStart: () => {},
      onEnd: broken,
      forceFlush: async () => {},
      shutdown: async () => {},
    };
    const { TracerProvider } = await import('@opentelemetry/sdk-trace');
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }));
    try {
      const outbox = await open();
      const id = await outbox.enqueue(token, step(1));
      await outbox.drain();
      expect(await outbox.get(id)).toMatchObject({ state: 'applied' });
    } finally {
      trace.disable();
    }
  },
  alone,
);
