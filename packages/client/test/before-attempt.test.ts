import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { buildOrderUpdate, startOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { createOrdersClient as createOverFetch } from '../src/fetch.ts';
import {
  AbortError,
  type AfterAttemptEvent,
  type BeforeAttemptEvent,
  type CallOptions,
  createOrdersClient as createOverUndici,
} from '../src/index.ts';

const token = 'secret_order_token_1234';
const update = buildOrderUpdate({ order_id: 'private-order' });
const busy = { fault: 'status', status: 429, headers: { 'retry-after': '0' } } as const;
const reset = { fault: 'reset_after_applying' } as const;
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

const diskFull = Object.assign(new Error('the disk is full'), { code: 'ENOSPC', rows: ['private-order'] });
const lazyQuery = {
  // biome-ignore lint/suspicious/noThenProperty: query builders are such objects, and run only when waited for
  then: (_resolve: unknown, reject: (reason: unknown) => void) => reject(diskFull),
};

test.each([
  [
    'throws',
    () => {
      throw diskFull;
    },
  ],
  [
    'rejects',
    async () => {
      throw diskFull;
    },
  ],
  ['gives a thenable that rejects', () => lazyQuery],
] as const)('when beforeAttempt %s the attempt is not made', async (_, beforeAttempt) => {
  for (const [, create] of entries) {
    await using running = await start(create);
    const { service, orders } = running;
    const ends: AfterAttemptEvent[] = [];
    const options: CallOptions = { beforeAttempt, afterAttempt: (end) => ends.push(end) };
    const { error } = await orders.safeUpdateOrder(token, update, options);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ code: 'aborted', outcome: 'not_sent', attemptCount: 0 });
    expect(error?.message).toBe(
      'PATCH /v2/orders/…1234: beforeAttempt threw, which ended the call. The update was not sent.',
    );
    expect(error?.cause).toMatchObject({ name: 'Error', message: 'the disk is full', code: 'ENOSPC' });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('private-order');
    expect(ends).toEqual([]);
    await orders.echo();
    expect(service.requests({ method: 'PATCH' })).toEqual([]);
  }
});

test.each([
  ['rejected', busy, 'The update was not applied.'],
  ['unknown', reset, 'Whether the update was applied is unknown.'],
] as const)(
  'when beforeAttempt throws later, the outcome is that of the attempts before: %s',
  async (outcome, fault, says) => {
    await using running = await start(createOverUndici, { retry: { resendUnknown: true } });
    const { service, orders } = running;
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

test('a cause that beforeAttempt gives is scrubbed of the key', async () => {
  await using running = await start(createOverUndici);
  const { service, orders } = running;
  const beforeAttempt = (): never => {
    throw new Error(`could not store ${service.key}`);
  };
  const { error } = await orders.safeUpdateOrder(token, update, { beforeAttempt });
  expect(error?.cause).toMatchObject({ message: 'could not store [secret]' });
});

test.each(entries)(
  'over %s a beforeAttempt that is not ready in time ends the call, and nothing is sent when it is',
  async (_, create) => {
    await using running = await start(create, { timeouts: { total: 60 } });
    const { service, orders } = running;
    const gate = Promise.withResolvers<void>();
    const { error } = await orders.safeUpdateOrder(token, update, { beforeAttempt: () => gate.promise });
    expect(error).toMatchObject({ code: 'timeout', phase: 'queue', outcome: 'not_sent', attemptCount: 0 });
    expect(error?.message).toBe(
      'PATCH /v2/orders/…1234: timed out after 60 ms (timeouts.total) waiting for beforeAttempt. The update was not sent.',
    );
    gate.resolve();
    for (let turns = 0; turns < 5; turns++) await turn();
    await orders.echo({ timeouts: { total: 5_000 } });
    expect(service.requests({ method: 'PATCH' })).toEqual([]);
  },
);

test('a beforeAttempt that never settles before a second attempt keeps the outcome of the first', async () => {
  await using running = await start(createOverUndici);
  const { service, orders } = running;
  service.faults.next([busy]);
  const beforeAttempt = ({ attempt }: BeforeAttemptEvent): unknown => (attempt === 2 ? never : undefined);
  const options = { beforeAttempt, timeouts: { total: 300 } };
  const { error } = await orders.safeUpdateOrder(token, update, options);
  expect(error).toMatchObject({ code: 'timeout', phase: 'queue', outcome: 'rejected', attemptCount: 1 });
});

test('a beforeAttempt that keeps the thread until no time is left sends nothing', async () => {
  await using running = await start(createOverUndici);
  const { service, orders } = running;
  const beforeAttempt = (): void => {
    const from = performance.now();
    while (performance.now() - from < 40);
  };
  const options = { beforeAttempt, timeouts: { total: 30 } };
  const { error } = await orders.safeUpdateOrder(token, update, options);
  expect(error).toMatchObject({ code: 'timeout', phase: 'queue', outcome: 'not_sent', attemptCount: 0 });
  await orders.echo();
  expect(service.requests({ method: 'PATCH' })).toEqual([]);
});

test.each(entries)(
  'over %s the signal ends a call while beforeAttempt is waited for, or when it fires it',
  async (_, create) => {
    await using running = await start(create);
    const { service, orders } = running;
    const waiting = new AbortController();
    const called = Promise.withResolvers<void>();
    const beforeAttempt = (): Promise<never> => {
      called.resolve();
      return never;
    };
    const held = orders.safeUpdateOrder(token, update, { beforeAttempt, signal: waiting.signal });
    await called.promise;
    waiting.abort('enough');
    const firing = [async () => {}, turn].map((wait, index) => {
      const within = new AbortController();
      const fire = () => wait().then(() => within.abort('enough'));
      return orders.safeUpdateOrder(`other_${index}`, update, { beforeAttempt: fire, signal: within.signal });
    });
    const atOnce = new AbortController();
    const fired = orders.safeUpdateOrder('other', update, {
      beforeAttempt: () => atOnce.abort('enough'),
      signal: atOnce.signal,
    });
    for (const { error } of await Promise.all([held, fired, ...firing]))
      expect(error).toMatchObject({ code: 'aborted', outcome: 'not_sent', attemptCount: 0, cause: 'enough' });
    await orders.echo();
    expect(service.requests({ method: 'PATCH' })).toEqual([]);
  },
);

test('a signal that fires just as beforeAttempt is ready ends the update, which is sent or told as not sent', async () => {
  await using running = await start(createOverUndici);
  const { service, orders } = running;
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

test('beforeAttempt runs when the lane has let the update through, and not before', async () => {
  await using running = await start(createOverUndici);
  const { orders } = running;
  const told: string[] = [];
  const optionsOf = (name: string): CallOptions => ({
    beforeAttempt: () => told.push(`before ${name}`),
    afterAttempt: () => told.push(`after ${name}`),
  });
  await Promise.all(['a', 'b'].map((name) => orders.updateOrder(token, update, optionsOf(name))));
  expect(told).toEqual(['before a', 'after a', 'before b', 'after b']);
});

test('beforeAttempt runs when the rate limit has let the attempt through, and spends its place', async () => {
  await using running = await start(createOverUndici, { rateLimit: { requestsPerSecond: 10 } });
  const { orders } = running;
  const calledAt: number[] = [];
  const beforeAttempt = (): never => {
    calledAt.push(performance.now());
    throw diskFull;
  };
  await orders.safeUpdateOrder(token, update, { beforeAttempt });
  await orders.safeUpdateOrder(token, update, { beforeAttempt });
  const [first = 0, second = 0] = calledAt;
  // A timer may fire a millisecond early.
  expect(second - first).toBeGreaterThan(90);
});
