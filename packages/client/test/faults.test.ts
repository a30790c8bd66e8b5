import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { buildOrderUpdate, createOrderService, type Fault, startOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import {
  createOrdersClient,
  type OrdersClientOptions,
  type Outcome,
  treat503AsRejected,
} from '../src/index.ts';
import { Agent } from '../src/undici.ts';

const token = 'order_1234';
const update = buildOrderUpdate();
const apiKey = 'swordfish-swordfish';

interface Expected {
  /** The error's code, or `applied` for a success. */
  readonly ends: string;
  readonly outcome: Outcome;
  readonly attemptCount: number;
  /** How often the service's ledger holds the update. */
  readonly applied: number;
}

interface Row extends Expected {
  readonly name: string;
  readonly fault: Fault;
  readonly options?: Partial<OrdersClientOptions>;
}

const unknownHttp = { ends: 'http_error', outcome: 'unknown', attemptCount: 1 } as const;
const rejectedHttp = { ends: 'http_error', outcome: 'rejected', attemptCount: 1, applied: 0 } as const;
const broken = { ends: 'connection_error', outcome: 'unknown', attemptCount: 1 } as const;
const unusable = { ends: 'invalid_response', outcome: 'applied', attemptCount: 1, applied: 1 } as const;
const soon = { timeouts: { attempt: 300 } };
const soonRetried = { 'retry-after': '0' };

const status = (code: number, headers: Record<string, string> = {}, applied = false): Fault => ({
  fault: 'status',
  status: code,
  headers,
  applied,
});

const rows: Row[] = [
  { name: 'reset after the headers were read', fault: { fault: 'reset_before_body' }, ...broken, applied: 0 },
  { name: 'reset before applying', fault: { fault: 'reset_before_applying' }, ...broken, applied: 0 },
  { name: 'reset after applying', fault: { fault: 'reset_after_applying' }, ...broken, applied: 1 },
  { name: 'restart in mid-call', fault: { fault: 'restart' }, ...broken, applied: 0 },
  {
    name: 'restart in mid-call, after applying',
    fault: { fault: 'restart', applied: true },
    ...broken,
    applied: 1,
  },
  { name: 'garbage', fault: { fault: 'garbage' }, ...broken, applied: 0 },
  { name: 'garbage after applying', fault: { fault: 'garbage', applied: true }, ...broken, applied: 1 },
  {
    name: 'stalled headers',
    fault: { fault: 'stalled_headers' },
    options: soon,
    ends: 'timeout',
    outcome: 'unknown',
    attemptCount: 1,
    applied: 1,
  },
  {
    name: 'latency beyond the attempt',
    fault: { fault: 'latency', ms: 5_000 },
    options: soon,
    ends: 'timeout',
    outcome: 'unknown',
    attemptCount: 1,
    applied: 1,
  },
  {
    name: 'stalled body',
    fault: { fault: 'stalled_body' },
    options: soon,
    ends: 'timeout',
    outcome: 'applied',
    attemptCount: 1,
    applied: 1,
  },
  {
    name: 'slow drip past the attempt',
    fault: { fault: 'slow_drip', intervalMs: 20 },
    // Its head must arrive in time, on a busy machine, too.
    options: { timeouts: { attempt: 1_200 } },
    ends: 'timeout',
    outcome: 'applied',
    attemptCount: 1,
    applied: 1,
  },
  { name: 'truncation', fault: { fault: 'truncation' }, ...unusable },
  { name: 'invalid JSON', fault: { fault: 'invalid_json' }, ...unusable },
  { name: 'oversize', fault: { fault: 'oversize' }, ...unusable },
  { name: 'oversize in chunks', fault: { fault: 'oversize', chunked: true }, ...unusable },
  { name: 'gzip bomb', fault: { fault: 'gzip_bomb' }, ...unusable },
  {
    name: 'empty 200',
    fault: { fault: 'empty' },
    ends: 'applied',
    outcome: 'applied',
    attemptCount: 1,
    applied: 1,
  },
  {
    name: '204',
    fault: { fault: 'no_content' },
    ends: 'applied',
    outcome: 'applied',
    attemptCount: 1,
    applied: 1,
  },
  {
    name: 'a 200 page of HTML',
    fault: { fault: 'wrong_media_type' },
    ends: 'invalid_response',
    outcome: 'unknown',
    attemptCount: 1,
    applied: 0,
  },
  {
    name: 'another media type after applying',
    fault: { fault: 'wrong_media_type', applied: true },
    ends: 'invalid_response',
    outcome: 'unknown',
    attemptCount: 1,
    applied: 1,
  },
  { name: '301', fault: { fault: 'redirect', status: 301 }, ...unknownHttp, applied: 0 },
  {
    name: '303 after applying',
    fault: { fault: 'redirect', status: 303, applied: true },
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
  { name: '503 with Retry-After', fault: status(503, soonRetried), ...unknownHttp, applied: 0 },
  {
    name: '503 with Retry-After after applying',
    fault: status(503, soonRetried, true),
    ...unknownHttp,
    applied: 1,
  },
  {
    name: '503 with Retry-After, known to be a refusal',
    fault: status(503, soonRetried),
    options: { classifyResponse: treat503AsRejected },
    ...rejectedHttp,
    attemptCount: 3,
  },
  ...[403, 404, 405, 410].map((code) => ({
    name: `${code} with an HTML page after applying`,
    fault: status(code, { 'content-type': 'text/html' }, true),
    ...unknownHttp,
    applied: 1,
  })),
  { name: '429 with Retry-After, always', fault: status(429, soonRetried), ...rejectedHttp, attemptCount: 3 },
  {
    name: '429 with a reset',
    fault: status(429, { 'x-ratelimit-reset': '0' }),
    ...rejectedHttp,
    attemptCount: 3,
  },
  { name: '429 with Retry-After too late', fault: status(429, { 'retry-after': '60' }), ...rejectedHttp },
  { name: '429 without either', fault: status(429), ...rejectedHttp, attemptCount: 3 },
];

test.concurrent.each(rows)(
  '$name: $ends, $outcome, $attemptCount attempts, applied $applied times',
  async ({ fault, options, ...expected }) => {
    await using service = await startOrderService({ orders: [token] });
    service.faults.always(fault, { operation: 'update' });
    expect(await callOnce({ baseUrl: service.url, apiKey: service.key, ...options }, service)).toEqual(
      pick(expected),
    );
  },
);

test.concurrent.each(rows)('$name without a port: the same', async ({ fault, options, ...expected }) => {
  await using service = createOrderService({ orders: [token] });
  service.faults.always(fault, { operation: 'update' });
  const dispatcher = new Agent({ connect: service.connect });
  const told = await callOnce({ baseUrl: service.url, apiKey: service.key, dispatcher, ...options }, service);
  expect(told).toEqual(pick(expected));
  await dispatcher.destroy();
});

test.concurrent('a 429 with Retry-After that recovers is applied once', async () => {
  await using service = await startOrderService({ orders: [token] });
  service.faults.next(status(429, soonRetried));
  expect(await callOnce({ baseUrl: service.url, apiKey: service.key }, service)).toEqual({
    ends: 'applied',
    outcome: 'applied',
    attemptCount: 2,
    applied: 1,
  });
});

test.concurrent('an opted-in repeat of a reset after applying applies twice, and a reset followed by a 409 stays unknown', async () => {
  await using service = await startOrderService({ orders: [token] });
  const options = { baseUrl: service.url, apiKey: service.key, retry: { resendUnknown: true } };
  service.faults.next({ fault: 'reset_after_applying' });
  expect(await callOnce(options, service)).toEqual({
    ends: 'applied',
    outcome: 'applied',
    attemptCount: 2,
    applied: 2,
  });
  service.faults.next([{ fault: 'reset_after_applying' }, status(409)]);
  expect(await callOnce(options, service)).toEqual({
    ends: 'http_error',
    outcome: 'unknown',
    attemptCount: 2,
    applied: 3,
  });
});

test.concurrent('a keep-alive connection that the service gave up is told as unknown, and the next call goes through', async () => {
  await using service = await startOrderService({ orders: [token] });
  // One connection, so that the second call goes over that of the first.
  const dispatcher = new Agent({ connections: 1 });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key, dispatcher });
  await orders.updateOrder(token, update);
  service.faults.next({ fault: 'reset_on_reuse' });
  const result = await orders.safeUpdateOrder(token, update);
  expect(result.error).toMatchObject({ code: 'connection_error', outcome: 'unknown', attemptCount: 1 });
  await orders.updateOrder(token, update);
  expect(service.ledger).toHaveLength(2);
  await dispatcher.destroy();
});

test.concurrent('a connection that ends after each answer costs no update', async () => {
  await using service = await startOrderService({ orders: [token] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  service.faults.always({ fault: 'close_after_answer' });
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

test.concurrent('a reset on accept is never told as rejected or applied', async () => {
  await using service = await startOrderService({ orders: [token] });
  service.faults.always({ fault: 'reset_on_accept' });
  const { outcome, applied } = await callOnce({ baseUrl: service.url, apiKey: service.key }, service);
  expect(['not_sent', 'unknown']).toContain(outcome);
  expect(applied).toBe(0);
});

const notSent = { ends: 'connection_error', outcome: 'not_sent', attemptCount: 3, applied: 0 } as const;

test.concurrent('refused: not sent, tried three times', async () => {
  await using service = await startOrderService({ orders: [token] });
  await service.close();
  expect(await callOnce({ baseUrl: service.url, apiKey }, service)).toEqual(notSent);
});

test.concurrent('DNS: not sent, tried three times', async () => {
  const lookup = (_host: string, _options: object, done: (error: Error) => void): void =>
    done(Object.assign(new Error('getaddrinfo ENOTFOUND api.example'), { code: 'ENOTFOUND' }));
  const dispatcher = new Agent({ connect: { lookup: lookup as never } });
  expect(await callOnce({ baseUrl: 'https://api.example', apiKey, dispatcher })).toEqual(notSent);
  await dispatcher.close();
});

test.concurrent('TLS spoken to a service that does not: not sent, tried three times', async () => {
  await using service = await startOrderService({ orders: [token] });
  const baseUrl = service.url.replace('http:', 'https:');
  expect(await callOnce({ baseUrl, apiKey }, service)).toEqual(notSent);
});

test.concurrent('connect timeout: not sent, tried three times', async () => {
  const silent = createServer((socket) => void socket.on('error', () => {}));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  // A TLS handshake that is never answered is a connection that never stands.
  const baseUrl = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  expect(await callOnce({ baseUrl, apiKey, timeouts: { connect: 100 } })).toEqual({
    ...notSent,
    ends: 'timeout',
  });
  silent.close();
});

async function callOnce(
  options: OrdersClientOptions,
  service?: { readonly ledger: readonly unknown[] },
): Promise<Expected> {
  await using orders = createOrdersClient(options);
  const result = await orders.safeUpdateOrder(token, update);
  const { outcome, attemptCount } = result.ok ? result : result.error;
  return {
    ends: result.ok ? 'applied' : result.error.code,
    outcome,
    attemptCount,
    applied: service?.ledger.length ?? 0,
  };
}

function pick({ ends, outcome, attemptCount, applied }: Expected): Expected {
  return { ends, outcome, attemptCount, applied };
}
