import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { basic } from '@orders/auth';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, expectTypeOf, test } from 'vitest';
import { createOrdersClient as createOverFetch } from '../src/fetch.ts';
import {
  AbortError,
  type AfterAttemptEvent,
  type BeforeAttemptEvent,
  type CallOptions,
  createOrdersClient as createOverUndici,
} from '../src/index.ts';
import { block } from './block.ts';
import { withoutBackoff } from './without-backoff.ts';

withoutBackoff();

const token = 'secret_order_token_1234';
const update = buildOrderUpdate({ order_id: 'private-order' });
const busy = { type: 'status', status: 429, headers: { 'retry-after': '0' } } as const;
const reset = { type: 'reset_after_applying' } as const;
const entries = [
  ['undici', createOverUndici],
  ['fetch', createOverFetch],
] as const;

test('afterAttempt reports each attempt as the receipt does, and the delay before the next', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({ baseUrl: service.url, apiKey: service.key });
  service.faults.next([busy, { ...busy, headers: { 'ratelimit-reset': '0.02' } }]);
  const ends: AfterAttemptEvent[] = [];
  const { receipt } = await orders.updateOrder(token, update, { afterAttempt: (end) => ends.push(end) });
  expect(ends).toMatchObject([
    { attempt: 1, status: 429, outcome: 'rejected', error: 'http_error', retryDelayMs: 0 },
    { attempt: 2, status: 429, outcome: 'rejected', error: 'http_error' },
    { attempt: 3, status: 200, outcome: 'applied' },
  ]);
  expect(ends.map((end) => 'retryDelayMs' in end)).toEqual([true, true, false]);
  const records = ends.map(({ attempt: _number, retryDelayMs: _wait, ...record }) => record);
  expect(records).toEqual(receipt.toJSON().attempts);
});

test('hooks run for a safe update, a prepared one, one of many and an echo', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({ baseUrl: service.url, apiKey: service.key });
  const seen: string[] = [];
  const options: CallOptions = {
    beforeAttempt: ({ attempt }) => seen.push(`before ${attempt}`),
    afterAttempt: ({ attempt, outcome }) => seen.push(`after ${attempt}: ${outcome}`),
  };
  await orders.safeUpdateOrder(token, update, options);
  await orders.prepareUpdateOrder(token, update).send(options);
  for await (const { ok } of orders.updateOrders([{ token, update }], options)) expect(ok).toBe(true);
  await orders.echo(options);
  expect(seen).toEqual(Array.from({ length: 4 }, () => ['before 1', 'after 1: applied']).flat());
});

test('afterAttempt reports an attempt that was rejected, aborted or not sent', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({ baseUrl: service.url, apiKey: service.key });
  const ends: AfterAttemptEvent[] = [];
  const afterAttempt = (end: AfterAttemptEvent): void => void ends.push(end);
  await orders.safeUpdateOrder('missing', update, { afterAttempt });
  service.faults.next([{ type: 'stalled_headers' }]);
  const abort = new AbortController();
  const aborted = orders.safeUpdateOrder(token, update, { afterAttempt, signal: abort.signal });
  await service.waitForRequests(2);
  abort.abort();
  await aborted;
  await using down = createOverUndici({ baseUrl: 'http://127.0.0.1:1', apiKey: service.key });
  await down.safeUpdateOrder(token, update, { afterAttempt, retry: { maxAttempts: 1 } });
  expect(ends.map(({ attempt, outcome, error }) => [attempt, outcome, error])).toEqual([
    [1, 'rejected', 'http_error'],
    [1, 'unknown', 'aborted'],
    [1, 'not_sent', 'connection_error'],
  ]);
  expect(ends.some((end) => 'retryDelayMs' in end)).toBe(false);
});

test('no hook runs for an invalid update', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({ baseUrl: service.url, apiKey: service.key });
  const fail = (): never => {
    throw new Error('a hook ran');
  };
  const options = { beforeAttempt: fail, afterAttempt: fail };
  const { error } = await orders.safeUpdateOrder('..', update, options);
  expect(error?.code).toBe('validation_error');
});

test('a signal that afterAttempt fires ends the delay before the next attempt', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({ baseUrl: service.url, apiKey: service.key });
  service.faults.next([{ ...busy, headers: { 'retry-after': '30' } }]);
  const abort = new AbortController();
  const calledAt = performance.now();
  let passedMs = 0;
  const { error } = await orders.safeUpdateOrder(token, update, {
    signal: abort.signal,
    afterAttempt: ({ retryDelayMs }) => {
      passedMs = performance.now() - calledAt;
      abort.abort(retryDelayMs);
    },
  });
  expect(error).toMatchObject({ code: 'aborted', outcome: 'rejected', attemptCount: 1 });
  // What is left of the pause, which has begun.
  expect(error?.cause).toBeLessThanOrEqual(30_000);
  expect(error?.cause).toBeGreaterThan(30_000 - passedMs);
});

test('no event holds the key, the body or the order token', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({ baseUrl: service.url, apiKey: service.key });
  service.faults.next([{ ...busy, body: `${service.key} ${token} private-order` }]);
  const events: object[] = [];
  await orders.updateOrder(token, update, {
    beforeAttempt: (event) => events.push(event),
    afterAttempt: (event) => events.push(event),
  });
  const success = ['attempt', 'durationMs', 'outcome', 'requestId', 'startedAfterMs', 'status'];
  expect(events.map((event) => Reflect.ownKeys(event).sort())).toEqual([
    ['attempt'],
    [...success, 'error', 'retryDelayMs'].sort(),
    ['attempt'],
    success,
  ]);
  const printed = inspect(events, { showHidden: true, depth: 9 });
  expect(printed).not.toContain(service.key);
  expect(printed).not.toMatch(/order_token|private-order/);
});

test('events are typed', () => {
  const options: CallOptions = {
    beforeAttempt: (start) => expectTypeOf(start).toEqualTypeOf<BeforeAttemptEvent>(),
    beforeSend: (event) => expectTypeOf(event).toEqualTypeOf<BeforeAttemptEvent>(),
    afterAttempt: (end) => expectTypeOf(end).toEqualTypeOf<AfterAttemptEvent>(),
  };
  expectTypeOf<AfterAttemptEvent['retryDelayMs']>().toEqualTypeOf<number | undefined>();
  // @ts-expect-error a number is no function
  const misuse: CallOptions = { beforeAttempt: 1 };
  expect([options, misuse]).toHaveLength(2);
});

test('hooks of the client run for calls that bring none', async () => {
  const seen: string[] = [];
  const hooksOf = (from: string) => ({
    beforeAttempt: () => seen.push(`${from} beforeAttempt`),
    beforeSend: () => void seen.push(`${from} beforeSend`),
    afterAttempt: () => void seen.push(`${from} afterAttempt`),
  });
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({
    baseUrl: service.url,
    apiKey: service.key,
    ...hooksOf('client'),
  });
  await orders.echo();
  await orders.updateOrder(token, update, { beforeSend: hooksOf('call').beforeSend });
  expect(seen).toEqual([
    'client beforeAttempt',
    'client beforeSend',
    'client afterAttempt',
    'client beforeAttempt',
    'call beforeSend',
    'client afterAttempt',
  ]);
});

test.each(entries)('over %s beforeSend runs for each attempt, after credentials', async (_, create) => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = create({ baseUrl: service.url, apiKey: service.key });
  service.faults.next([busy], { method: 'PATCH' });
  const seen: unknown[] = [];
  const credentials = async () => {
    seen.push('credentials');
    return basic(service.key);
  };
  const beforeSend = (event: BeforeAttemptEvent): void =>
    void seen.push({ ...event, arrived: service.requests({ method: 'PATCH' }).length });
  await orders.updateOrder(token, update, { credentials, beforeSend });
  expect(seen).toEqual([
    'credentials',
    { attempt: 1, arrived: 0 },
    'credentials',
    { attempt: 2, arrived: 1 },
  ]);
});

test('over undici beforeSend runs only once connected', async () => {
  const seen: BeforeAttemptEvent[] = [];
  const options = { baseUrl: 'http://127.0.0.1:1', apiKey: 'swordfish', retry: { maxAttempts: 1 } };
  await using orders = createOverUndici({ ...options, beforeSend: (event) => void seen.push(event) });
  const { error } = await orders.safeUpdateOrder(token, update);
  expect([error?.code, seen]).toEqual(['connection_error', []]);
});

test.each(
  entries.flatMap(([name, create]) =>
    [
      'fires the signal',
      'fires the signal and throws',
      'destroys the client',
      'blocks until the time is over',
    ].map((what) => [name, what, create] as const),
  ),
)('over %s nothing is sent when beforeSend %s', async (_name, what, create) => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = create({ baseUrl: service.url, apiKey: service.key });
  const controller = new AbortController();
  const { error } = await orders.safeUpdateOrder(token, update, {
    signal: controller.signal,
    ...(what.startsWith('blocks') && { timeouts: { attempt: 300 } }),
    retry: { maxAttempts: 1 },
    beforeSend: () => {
      if (what.startsWith('fires')) controller.abort();
      if (what.endsWith('throws')) throw new Error('the claim is lost');
      if (what.startsWith('destroys')) void orders.destroy();
      if (what.startsWith('blocks')) block(310);
    },
  });
  const code = what.startsWith('blocks') ? 'timeout' : 'aborted';
  expect(error).toMatchObject({ code, outcome: 'not_sent', attemptCount: 1 });
  await turn();
  expect(service.requests({ method: 'PATCH' })).toEqual([]);
  if (!what.startsWith('destroys')) await orders.updateOrder(token, update);
});

const diskFull = Object.assign(new Error('the disk is full'), { code: 'ENOSPC', rows: ['private-order'] });
const lazyQuery = {
  // biome-ignore lint/suspicious/noThenProperty: query builders are such objects, and run only when awaited
  then: (_resolve: unknown, reject: (reason: unknown) => void) => reject(diskFull),
};

test('when beforeAttempt fails, the attempt is not made, and the cause keeps name, message and code alone', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({ baseUrl: service.url, apiKey: service.key });
  const { error } = await orders.safeUpdateOrder(token, update, { beforeAttempt: () => lazyQuery });
  expect(error).toBeInstanceOf(AbortError);
  expect(error).toMatchObject({ code: 'aborted', outcome: 'not_sent', attemptCount: 0 });
  expect(error?.message).toBe(
    'PATCH /v2/orders/…1234: beforeAttempt threw, which ended the call. The update was not sent.',
  );
  expect(error?.cause).toMatchObject({ name: 'Error', message: 'the disk is full', code: 'ENOSPC' });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('private-order');
  await orders.echo();
  expect(service.requests({ method: 'PATCH' })).toEqual([]);
});

test.each([
  ['rejected', busy, 'The update was not applied.'],
  ['unknown', reset, 'Whether the update was applied is unknown.'],
] as const)(
  'when beforeAttempt throws later, the outcome is that of the attempts before: %s',
  async (outcome, fault, says) => {
    await using service = await startMockOrderService({ orders: [token] });
    await using orders = createOverUndici({
      baseUrl: service.url,
      apiKey: service.key,
      retry: { resendUnknown: true },
    });
    service.faults.next([fault]);
    const beforeAttempt = ({ attempt }: BeforeAttemptEvent): void => {
      if (attempt === 2) throw diskFull;
    };
    const { error } = await orders.safeUpdateOrder(token, update, { beforeAttempt });
    expect(error).toMatchObject({ code: 'aborted', outcome, attemptCount: 1 });
    expect(error?.message).toContain(says);
    expect(service.requests({ method: 'PATCH' })).toHaveLength(1);
  },
);

test('a beforeAttempt that settles after the timeout sends nothing', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({
    baseUrl: service.url,
    apiKey: service.key,
    timeouts: { total: 60 },
  });
  const gate = Promise.withResolvers<void>();
  const { error } = await orders.safeUpdateOrder(token, update, { beforeAttempt: () => gate.promise });
  expect(error).toMatchObject({ code: 'timeout', phase: 'queue', outcome: 'not_sent', attemptCount: 0 });
  gate.resolve();
  await orders.echo({ timeouts: { total: 60_000 } });
  expect(service.requests({ method: 'PATCH' })).toEqual([]);
});

test('a signal that beforeAttempt fires ends the call', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({ baseUrl: service.url, apiKey: service.key });
  const ways: ((abort: () => void) => unknown)[] = [
    (abort) => abort(),
    (abort) => Promise.resolve().then(abort),
    (abort) => turn().then(abort),
  ];
  const calls = ways.map((fire, index) => {
    const controller = new AbortController();
    const beforeAttempt = () => fire(() => controller.abort('enough'));
    const { signal } = controller;
    return orders.safeUpdateOrder(`order_${index}`, update, { beforeAttempt, signal });
  });
  for (const { error } of await Promise.all(calls))
    expect(error).toMatchObject({ code: 'aborted', outcome: 'not_sent', attemptCount: 0, cause: 'enough' });
  await orders.echo();
  expect(service.requests({ method: 'PATCH' })).toEqual([]);
});

test('a signal that fires just as beforeAttempt settles ends the update, and nothing is sent when it is not_sent', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({ baseUrl: service.url, apiKey: service.key });
  for (let steps = 0; steps < 12; steps++) {
    const before = service.requests({ method: 'PATCH' }).length;
    const abort = new AbortController();
    const gate = Promise.withResolvers<void>();
    const called = Promise.withResolvers<void>();
    const beforeAttempt = (): Promise<void> => {
      called.resolve();
      return gate.promise;
    };
    const call = orders.safeUpdateOrder(token, update, { beforeAttempt, signal: abort.signal });
    await called.promise;
    gate.resolve();
    for (let passed = 0; passed < steps; passed++) await null;
    abort.abort('enough');
    const { error } = await call;
    expect(error).toMatchObject({ code: 'aborted', cause: 'enough' });
    await orders.echo();
    const arrived = service.requests({ method: 'PATCH' }).length - before;
    expect(arrived).toBeLessThanOrEqual(error?.outcome === 'not_sent' ? 0 : 1);
  }
});

test('beforeAttempt runs once the updates before in the lane have ended', async () => {
  await using service = await startMockOrderService({ orders: [token] });
  await using orders = createOverUndici({ baseUrl: service.url, apiKey: service.key });
  const seen: string[] = [];
  const optionsOf = (name: string): CallOptions => ({
    beforeAttempt: () => seen.push(`before ${name}`),
    afterAttempt: () => seen.push(`after ${name}`),
  });
  await Promise.all(['a', 'b'].map((name) => orders.updateOrder(token, update, optionsOf(name))));
  expect(seen).toEqual(['before a', 'after a', 'before b', 'after b']);
});
