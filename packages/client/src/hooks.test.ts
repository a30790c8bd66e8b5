import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { basic } from '@orders/auth';
import { buildOrderUpdate, startOrderService } from '@orders/testing';
import { expect, expectTypeOf, test } from 'vitest';
import { createOrdersClient as createOverFetch } from './fetch.ts';
import { createOrdersClient as createOverUndici } from './index.ts';
import type { AfterAttemptEvent, BeforeAttemptEvent, CallOptions } from './options.ts';

const token = 'secret_order_token_1234';
const update = buildOrderUpdate({ order_id: 'private-order' });
const busy = { fault: 'status', status: 429, headers: { 'retry-after': '0' } } as const;
const never = new Promise<never>(() => {});
const entries = [
  ['undici', createOverUndici],
  ['fetch', createOverFetch],
] as const;

async function start(createOrdersClient: typeof createOverFetch, options: object = {}) {
  const service = await startOrderService({ orders: [token, 'other'] });
  const orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key, ...options });
  return {
    service,
    orders,
    async [Symbol.asyncDispose]() {
      await orders.close();
      await service.close();
    },
  };
}

test.each(entries)(
  'over %s beforeAttempt is waited for before a byte of each attempt leaves',
  async (_, create) => {
    await using running = await start(create);
    const { service, orders } = running;
    service.faults.next([busy, busy], { method: 'PATCH' });
    const seen: object[] = [];
    const beforeAttempt = async ({ attempt }: BeforeAttemptEvent): Promise<void> => {
      // Whatever had left before would have arrived before this has been there and back.
      await fetch(service.url);
      seen.push({ attempt, arrived: service.requests({ method: 'PATCH' }).length });
    };
    const { attemptCount } = await orders.updateOrder(token, update, { beforeAttempt });
    expect(attemptCount).toBe(3);
    expect(seen).toEqual([
      { attempt: 1, arrived: 0 },
      { attempt: 2, arrived: 1 },
      { attempt: 3, arrived: 2 },
    ]);
  },
);

test.each(entries)(
  'over %s afterAttempt tells each attempt as the receipt does, and when the next is due',
  async (_, create) => {
    await using running = await start(create);
    const { service, orders } = running;
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
  },
);

test.each(entries)(
  'over %s both are told in a safe update, a prepared one, a bulk and an echo',
  async (_, create) => {
    await using running = await start(create);
    const { orders } = running;
    const told: string[] = [];
    const options: CallOptions = {
      beforeAttempt: ({ attempt }) => told.push(`before ${attempt}`),
      afterAttempt: ({ attempt, outcome }) => told.push(`after ${attempt}: ${outcome}`),
    };
    await orders.safeUpdateOrder(token, update, options);
    await orders.prepareUpdateOrder(token, update).send(options);
    for await (const { ok } of orders.updateOrders([{ token, update }], options)) expect(ok).toBe(true);
    await orders.echo(options);
    expect(told).toEqual(Array.from({ length: 4 }, () => ['before 1', 'after 1: applied']).flat());
  },
);

test('the last attempt is told too when it was refused, aborted or not sent', async () => {
  await using running = await start(createOverUndici);
  const { service, orders } = running;
  const ends: AfterAttemptEvent[] = [];
  const afterAttempt = (end: AfterAttemptEvent): void => void ends.push(end);
  await orders.safeUpdateOrder('missing', update, { afterAttempt });
  service.faults.next([{ fault: 'stalled_headers' }]);
  const abort = new AbortController();
  const aborted = orders.safeUpdateOrder(token, update, { afterAttempt, signal: abort.signal });
  await service.received(2);
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

test('an update that is refused before it is sent has no attempt to tell of', async () => {
  await using running = await start(createOverUndici);
  const tell = (): never => {
    throw new Error('it was told');
  };
  const options = { beforeAttempt: tell, afterAttempt: tell };
  const { error } = await running.orders.safeUpdateOrder('..', update, options);
  expect(error?.code).toBe('validation_error');
});

test.each(entries)(
  'over %s what afterAttempt throws is a warning, and changes nothing for the call',
  async (_, create) => {
    await using running = await start(create);
    const { service, orders } = running;
    service.faults.next([busy]);
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', onWarning);
    try {
      const afterAttempt = ({ attempt }: AfterAttemptEvent): never => {
        throw new Error(`the page is gone: ${attempt} ${service.key}`);
      };
      const { attemptCount } = await orders.updateOrder(token, update, { afterAttempt });
      expect(attemptCount).toBe(2);
      const rejects = async (): Promise<never> => afterAttempt({ attempt: 3 } as AfterAttemptEvent);
      const { error } = await orders.safeUpdateOrder('missing', update, {
        afterAttempt: rejects as () => never,
      });
      expect(error).toMatchObject({ code: 'http_error', status: 404 });
      await turn();
    } finally {
      process.off('warning', onWarning);
    }
    expect(warnings).toEqual(
      [1, 2, 3].map(
        (attempt) =>
          `afterAttempt threw, which changes nothing for the call: the page is gone: ${attempt} [secret]`,
      ),
    );
  },
);

test('afterAttempt is not waited for', async () => {
  await using running = await start(createOverUndici);
  const afterAttempt: (end: AfterAttemptEvent) => void = () => never;
  await expect(running.orders.updateOrder(token, update, { afterAttempt })).resolves.toBeDefined();
});

test('an afterAttempt that fires the signal ends the pause before the next attempt', async () => {
  await using running = await start(createOverUndici);
  const { service, orders } = running;
  service.faults.next([{ ...busy, headers: { 'retry-after': '30' } }]);
  const abort = new AbortController();
  const { error } = await orders.safeUpdateOrder(token, update, {
    signal: abort.signal,
    afterAttempt: ({ retryDelayMs }) => abort.abort(retryDelayMs),
  });
  expect(error).toMatchObject({ code: 'aborted', outcome: 'rejected', attemptCount: 1, cause: 30_000 });
});

test('neither event holds the key, the body or the order token', async () => {
  await using running = await start(createOverUndici);
  const { service, orders } = running;
  service.faults.next([{ ...busy, body: `${service.key} ${token} private-order` }]);
  const events: object[] = [];
  await orders.updateOrder(token, update, {
    beforeAttempt: (event) => events.push(event),
    afterAttempt: (event) => events.push(event),
  });
  const fields = [
    'startedAfterMs',
    'durationMs',
    'outcome',
    'status',
    'requestId',
    'error',
    'attempt',
    'retryDelayMs',
  ];
  expect(events.map((event) => Reflect.ownKeys(event))).toEqual([
    ['attempt'],
    fields,
    ['attempt'],
    fields.filter((field) => field !== 'error' && field !== 'retryDelayMs'),
  ]);
  const printed = inspect(events, { showHidden: true, depth: 9 });
  expect(printed).not.toContain(service.key);
  expect(printed).not.toMatch(/order_token|private-order/);
});

test.each(['beforeAttempt', 'beforeSend', 'afterAttempt'] as const)(
  'a %s that is no function is a TypeError',
  async (name) => {
    await using running = await start(createOverUndici);
    const { orders } = running;
    for (const wrong of ['log', null, {}] as unknown[]) {
      const options = { [name]: wrong } as CallOptions;
      await expect(orders.updateOrder(token, update, options)).rejects.toThrow(`${name}: pass a function`);
      expect(() => orders.updateOrders([], options)).toThrow(TypeError);
    }
  },
);

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

test.each(entries)(
  'over %s hooks of the client are those of every call that brings none',
  async (_, create) => {
    const seen: string[] = [];
    const hooksOf = (from: string) => ({
      beforeAttempt: () => seen.push(`${from} beforeAttempt`),
      beforeSend: () => void seen.push(`${from} beforeSend`),
      afterAttempt: () => void seen.push(`${from} afterAttempt`),
    });
    await using running = await start(create, hooksOf('client'));
    await running.orders.echo();
    await running.orders.updateOrder(token, update, { beforeSend: hooksOf('call').beforeSend });
    expect(seen).toEqual([
      'client beforeAttempt',
      'client beforeSend',
      'client afterAttempt',
      'client beforeAttempt',
      'call beforeSend',
      'client afterAttempt',
    ]);
  },
);

test.each(entries)('over %s beforeSend runs for each attempt, after credentials', async (_, create) => {
  await using running = await start(create);
  const { service, orders } = running;
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

test('over undici beforeSend runs once the connection stands, and not where none does', async () => {
  const seen: BeforeAttemptEvent[] = [];
  const options = { baseUrl: 'http://127.0.0.1:1', apiKey: 'swordfish', retry: { maxAttempts: 1 } };
  await using orders = createOverUndici({ ...options, beforeSend: (event) => void seen.push(event) });
  const { error } = await orders.safeUpdateOrder(token, update);
  expect([error?.code, seen]).toEqual(['connection_error', []]);
});

test.each(
  entries.flatMap(([name, create]) => [
    [name, 'throws', 'the claim is lost', create, throwError] as const,
    [name, 'is asynchronous', 'it must be synchronous', create, async () => throwError()] as const,
  ]),
)('over %s nothing is sent when beforeSend %s', async (_name, _how, reason, create, beforeSend) => {
  await using running = await start(create);
  const { service, orders } = running;
  const ended: AfterAttemptEvent[] = [];
  const { error } = await orders.safeUpdateOrder(token, update, {
    beforeSend,
    afterAttempt: (event) => void ended.push(event),
  });
  expect(error).toMatchObject({ code: 'aborted', outcome: 'not_sent', attemptCount: 1, retryable: false });
  expect(error?.cause).toMatchObject({ message: expect.stringContaining(reason) });
  expect(ended).toMatchObject([{ attempt: 1, outcome: 'not_sent', error: 'aborted' }]);
  expect(service.requests({ method: 'PATCH' })).toEqual([]);
  await expect(orders.updateOrder(token, update)).resolves.toMatchObject({ outcome: 'applied' });
});

function throwError(): never {
  throw new Error('the claim is lost');
}
