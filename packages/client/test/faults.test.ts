import { createServer } from 'node:net';
import { buildOrderUpdate, type Fault, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import {
  createOrdersClient,
  type OrdersClientOptions,
  type Outcome,
  treat503AsRejected,
} from '../src/index.ts';
import { Agent } from '../src/undici.ts';
import { holdTime } from './hold-time.ts';
import { listenOnLoopback } from './loopback.ts';
import { published } from './published.ts';
import { withoutBackoff } from './without-backoff.ts';

withoutBackoff();

const token = 'order_1234';
const update = buildOrderUpdate();
const apiKey = 'swordfish-swordfish';

interface Expected {
  /** The error's code, or `success`. */
  readonly ends: string;
  readonly outcome: Outcome;
  readonly attemptCount: number;
  readonly retryable: boolean | undefined;
  /** How often the service's ledger holds the update. */
  readonly applied: number;
}

interface Row extends Expected {
  readonly name: string;
  readonly fault: Fault;
  readonly options?: Partial<OrdersClientOptions>;
}

const final = { attemptCount: 1, retryable: false } as const;
const success = {
  ends: 'success',
  outcome: 'applied',
  attemptCount: 1,
  retryable: undefined,
  applied: 1,
} as const;
const unknownHttp = { ends: 'http_error', outcome: 'unknown', ...final } as const;
const rejectedHttp = { ends: 'http_error', outcome: 'rejected', ...final, applied: 0 } as const;
const tooMany = { ...rejectedHttp, retryable: true } as const;
const broken = { ends: 'connection_error', outcome: 'unknown', ...final } as const;
const unusable = { ends: 'invalid_response', outcome: 'applied', ...final, applied: 1 } as const;
const retryNow = { 'retry-after': '0' };

const status = (code: number, headers: Record<string, string> = {}, applied = false): Fault => ({
  type: 'status',
  status: code,
  headers,
  applied,
});

const rows: Row[] = [
  { name: 'reset after the headers were read', fault: { type: 'reset_before_body' }, ...broken, applied: 0 },
  { name: 'reset before applying', fault: { type: 'reset_before_applying' }, ...broken, applied: 0 },
  { name: 'reset after applying', fault: { type: 'reset_after_applying' }, ...broken, applied: 1 },
  { name: 'restart', fault: { type: 'restart' }, ...broken, applied: 0 },
  { name: 'restart after applying', fault: { type: 'restart', applied: true }, ...broken, applied: 1 },
  { name: 'garbage', fault: { type: 'garbage' }, ...broken, applied: 0 },
  { name: 'garbage after applying', fault: { type: 'garbage', applied: true }, ...broken, applied: 1 },
  { name: 'truncation', fault: { type: 'truncation' }, ...unusable },
  { name: 'invalid JSON', fault: { type: 'invalid_json' }, ...unusable },
  { name: 'oversize', fault: { type: 'oversize' }, ...unusable },
  { name: 'oversize in chunks', fault: { type: 'oversize', chunked: true }, ...unusable },
  { name: 'gzip bomb', fault: { type: 'gzip_bomb' }, ...unusable },
  { name: 'empty 200', fault: { type: 'empty' }, ...success },
  { name: '204', fault: { type: 'no_content' }, ...success },
  {
    name: 'a 200 page of HTML',
    fault: { type: 'wrong_media_type' },
    ...unusable,
    outcome: 'unknown',
    applied: 0,
  },
  {
    name: 'another media type after applying',
    fault: { type: 'wrong_media_type', applied: true },
    ...unusable,
    outcome: 'unknown',
  },
  { name: '301', fault: { type: 'redirect', status: 301 }, ...unknownHttp, applied: 0 },
  {
    name: '303 after applying',
    fault: { type: 'redirect', status: 303, applied: true },
    ...unknownHttp,
    applied: 1,
  },
  ...[400, 401, 403, 404, 409, 422].map((code) => ({
    name: String(code),
    fault: status(code),
    ...rejectedHttp,
  })),
  ...[408, 500, 502, 503, 504, 520, 799].flatMap((code) => [
    { name: String(code), fault: status(code), ...unknownHttp, applied: 0 },
    { name: `${code} after applying`, fault: status(code, {}, true), ...unknownHttp, applied: 1 },
  ]),
  { name: '503 with Retry-After', fault: status(503, retryNow), ...unknownHttp, applied: 0 },
  {
    name: '503 with Retry-After after applying',
    fault: status(503, retryNow, true),
    ...unknownHttp,
    applied: 1,
  },
  {
    name: '503 with treat503AsRejected',
    fault: status(503, retryNow),
    options: { classifyResponse: treat503AsRejected },
    ...tooMany,
    attemptCount: 3,
  },
  ...[403, 404, 405, 410].map((code) => ({
    name: `${code} with an HTML page after applying`,
    fault: status(code, { 'content-type': 'text/html' }, true),
    ...unknownHttp,
    applied: 1,
  })),
  { name: '429 with Retry-After', fault: status(429, retryNow), ...tooMany, attemptCount: 3 },
  {
    name: '429 with X-RateLimit-Reset',
    fault: status(429, { 'x-ratelimit-reset': '0' }),
    ...tooMany,
    attemptCount: 3,
  },
  {
    name: '429 with X-RateLimit-Reset in milliseconds of Unix time',
    fault: status(429, { 'x-ratelimit-reset': String(Date.UTC(2026, 0)) }),
    ...tooMany,
    attemptCount: 3,
  },
  {
    name: '429 with RateLimit',
    fault: status(429, { ratelimit: '"default";r=0;t=0' }),
    ...tooMany,
    attemptCount: 3,
  },
  {
    name: '429 with a RateLimit beyond timeouts.total',
    fault: status(429, { ratelimit: '"default";r=0;t=60' }),
    ...tooMany,
  },
  {
    name: '429 with a Retry-After beyond timeouts.total',
    fault: status(429, { 'retry-after': '60' }),
    ...tooMany,
  },
  { name: '429 without either', fault: status(429), ...tooMany, attemptCount: 3 },
];

test.concurrent.each(rows)(
  '$name: $ends, $outcome, $attemptCount attempts, applied $applied times',
  async ({ name: _name, fault, options, ...expected }) => {
    await using service = await startMockOrderService({ orders: [token] });
    service.faults.always(fault, { operation: 'update' });
    const seen = await callOnce({ baseUrl: service.url, apiKey: service.key, ...options }, service);
    expect(seen).toEqual(expected);
  },
);

test.each<[name: string, fault: Fault, outcome: Outcome, lastBefore: string]>([
  ['stalled headers', { type: 'stalled_headers' }, 'unknown', 'undici:request:bodySent'],
  ['latency beyond the timeout', { type: 'latency', ms: 600_000 }, 'unknown', 'undici:request:bodySent'],
  ['stalled body', { type: 'stalled_body' }, 'applied', 'undici:request:headers'],
  [
    'slow drip past the timeout',
    { type: 'slow_drip', intervalMs: 60_000 },
    'applied',
    'undici:request:headers',
  ],
])('%s: a timeout, %s', async (_, fault, outcome, lastBefore) => {
  await using service = await startMockOrderService({ orders: [token] });
  service.faults.always(fault, { operation: 'update' });
  using time = holdTime();
  const reached = published(lastBefore);
  const seen = callOnce({ baseUrl: service.url, apiKey: service.key }, service);
  await Promise.all([reached, service.waitForRequests(1)]);
  time.pass(15_000);
  expect(await seen).toEqual({ ends: 'timeout', outcome, ...final, applied: 1 });
});

test.concurrent('a 429 with Retry-After that recovers is applied once', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  service.faults.next(status(429, retryNow));
  const seen = await callOnce({ baseUrl: service.url, apiKey: service.key }, service);
  expect(seen).toEqual({ ...success, attemptCount: 2 });
});

test.concurrent('resendUnknown may apply an update twice, and a reset followed by a 409 stays unknown', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  const options = { baseUrl: service.url, apiKey: service.key, retry: { resendUnknown: true } };
  service.faults.next({ type: 'reset_after_applying' });
  expect(await callOnce(options, service)).toEqual({ ...success, attemptCount: 2, applied: 2 });
  service.faults.next([{ type: 'reset_after_applying' }, status(409)]);
  expect(await callOnce(options, service)).toEqual({ ...unknownHttp, attemptCount: 2, applied: 3 });
});

test.concurrent('a kept connection that the service resets on reuse is unknown, and the next call succeeds', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  // One connection, so that the second call goes over that of the first.
  const dispatcher = new Agent({ connections: 1 });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key, dispatcher });
  await orders.updateOrder(token, update);
  service.faults.next({ type: 'reset_on_reuse' });
  const result = await orders.safeUpdateOrder(token, update);
  expect(result.error).toMatchObject({ code: 'connection_error', outcome: 'unknown', attemptCount: 1 });
  await orders.updateOrder(token, update);
  expect(service.ledger).toHaveLength(2);
  await dispatcher.destroy();
});

test.concurrent('an outcome is true though the service closes the connection after each response', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  service.faults.always({ type: 'close_after_response' });
  const outcomes = new Set<string>();
  for (let call = 0; call < 10; call++) {
    const before = service.ledger.length;
    const result = await orders.safeUpdateOrder(token, update);
    const { outcome } = result.ok ? result : result.error;
    outcomes.add(outcome);
    if (outcome === 'applied') expect(service.ledger).toHaveLength(before + 1);
    if (outcome === 'not_sent') expect(service.ledger).toHaveLength(before);
  }
  expect(outcomes).toContain('applied');
});

test.concurrent('a reset on accept is not sent or unknown', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  service.faults.always({ type: 'reset_on_accept' });
  const { outcome, applied } = await callOnce({ baseUrl: service.url, apiKey: service.key }, service);
  expect(['not_sent', 'unknown']).toContain(outcome);
  expect(applied).toBe(0);
});

const notSent = {
  ends: 'connection_error',
  outcome: 'not_sent',
  attemptCount: 3,
  retryable: true,
  applied: 0,
} as const;

test.concurrent('a refused connection is not sent, and tried three times', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await service.close();
  expect(await callOnce({ baseUrl: service.url, apiKey }, service)).toEqual(notSent);
});

test.concurrent('a failed DNS lookup is not sent, and tried three times', async () => {
  const lookup = (_host: string, _options: object, done: (error: Error) => void): void =>
    done(Object.assign(new Error('getaddrinfo ENOTFOUND api.example'), { code: 'ENOTFOUND' }));
  const dispatcher = new Agent({ connect: { lookup: lookup as never } });
  expect(await callOnce({ baseUrl: 'https://api.example', apiKey, dispatcher })).toEqual(notSent);
  await dispatcher.close();
});

test.concurrent('TLS to a service without TLS is not sent, and tried three times', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  const baseUrl = service.url.replace('http:', 'https:');
  expect(await callOnce({ baseUrl, apiKey }, service)).toEqual(notSent);
});

test.concurrent('a TLS handshake without end is a connect timeout, not sent, and tried three times', async () => {
  await using silent = await listenOnLoopback(createServer());
  const baseUrl = `https://127.0.0.1:${silent.port}`;
  const seen = await callOnce({ baseUrl, apiKey, timeouts: { connect: 100 } });
  expect(seen).toEqual({ ...notSent, ends: 'timeout' });
});

async function callOnce(
  options: OrdersClientOptions,
  service?: { readonly ledger: readonly unknown[] },
): Promise<Expected> {
  await using orders = createOrdersClient(options);
  const result = await orders.safeUpdateOrder(token, update);
  const { outcome, attemptCount } = result.ok ? result : result.error;
  return {
    ends: result.ok ? 'success' : result.error.code,
    outcome,
    attemptCount,
    retryable: result.error?.retryable,
    applied: service?.ledger.length ?? 0,
  };
}
