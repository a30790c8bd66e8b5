import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { basic } from '@orders/auth';
import { buildOrderUpdate } from '@orders/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';
import { createVirtualClient, type VirtualClient } from '../test/virtual-client.ts';
import { createVirtualClock } from '../test/virtual-clock.ts';
import type { Call } from './call.ts';
import { Deadline } from './deadline.ts';
import type { AttemptFailure, AttemptResult } from './errors.ts';
import { createOrdersClient } from './index.ts';
import { RateLimit, type Turn } from './rate-limit.ts';

/** So much before its slot an attempt may leave, in milliseconds: what makes up for late timers. */
const toleranceMs = 5;

/** A call as a property makes it. */
interface PlannedCall {
  readonly at: number;
  readonly hookMs: number;
  readonly credentialsMs: number;
  readonly connectMs: number;
  readonly latencyMs: number;
  readonly totalMs: number;
  readonly abortAfterMs: number | undefined;
  readonly failingHook: 'beforeAttempt' | 'beforeSend' | 'credentials' | undefined;
  readonly retryAfter: string | undefined;
  readonly breaks: boolean;
}

const seldom = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc
    .option(value, { freq: 1, nil: undefined })
    .chain((chosen) => fc.constantFrom(undefined, undefined, chosen));
const upTo = (ms: number): fc.Arbitrary<number> => fc.oneof(fc.constant(0), fc.nat({ max: ms }));

const plannedCall: fc.Arbitrary<PlannedCall> = fc.record({
  at: upTo(5_000),
  hookMs: upTo(5_000),
  credentialsMs: upTo(5_000),
  connectMs: upTo(5_000),
  latencyMs: upTo(500),
  totalMs: fc.constantFrom(45_000, 45_000, 6_000, 500),
  abortAfterMs: seldom(fc.nat({ max: 8_000 })),
  failingHook: seldom(fc.constantFrom('beforeAttempt', 'beforeSend', 'credentials')),
  retryAfter: seldom(fc.constantFrom('0', '1', '4')),
  breaks: seldom(fc.constant(true)).map((breaks) => breaks === true),
});

const rateLimits = fc.record({
  requestsPerSecond: fc.constantFrom(0.5, 2, 10, 50),
  burst: fc.integer({ min: 1, max: 4 }),
});

/** A client on a virtual clock that makes planned calls, and notes since when each was ready to leave. */
function startPlanned(
  calls: readonly PlannedCall[],
  rateLimit: { requestsPerSecond: number; burst: number },
) {
  const planOf = (path: string): PlannedCall | undefined => calls[Number(path.split('_')[1])];
  const refused = new Set<string>();
  const client = createVirtualClient(
    { rateLimit },
    ({ path }) => {
      const { latencyMs = 0, retryAfter, breaks = false } = planOf(path) ?? {};
      if (retryAfter === undefined || refused.has(path)) return { latencyMs, breaks };
      refused.add(path);
      return { latencyMs, status: 429, headers: { 'retry-after': retryAfter } };
    },
    ({ path }) => planOf(path)?.connectMs ?? 0,
  );
  const { orders, clock, sleep } = client;
  const fail = (): never => {
    throw new Error('it fails');
  };
  const results = calls.map(async (plan, index) => {
    await sleep(plan.at);
    const controller = new AbortController();
    const { signal } = controller;
    if (plan.abortAfterMs !== undefined) clock.setTimer(() => controller.abort(), plan.abortAfterMs);
    const calledAt = clock.now();
    const result = await orders.safeUpdateOrder(
      `order_${index}`,
      { cart: {} },
      {
        signal,
        timeouts: { total: plan.totalMs },
        async beforeAttempt() {
          await sleep(plan.hookMs);
          if (plan.failingHook === 'beforeAttempt') fail();
        },
        async credentials() {
          await sleep(plan.credentialsMs);
          if (plan.failingHook === 'credentials') fail();
          return basic(apiKey);
        },
        beforeSend: () => (plan.failingHook === 'beforeSend' ? fail() : undefined),
      },
    );
    return { plan, result, tookMs: clock.now() - calledAt };
  });
  return { client, results };
}

/** The most by which departures in some window exceed what rate and burst allow, in milliseconds of the rate. */
function excessMs({ departures }: VirtualClient, rate: { requestsPerSecond: number; burst: number }): number {
  const spacingMs = 1_000 / rate.requestsPerSecond;
  let most = 0;
  for (const [index, from] of departures.entries())
    for (const [more, to] of departures.slice(index).entries())
      most = Math.max(most, (more + 1 - rate.burst) * spacingMs - (to.at - from.at));
  return most;
}

test('no window of departures exceeds rate and burst, whatever calls, hooks, credentials, connections and responses do', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plannedCall, { minLength: 1, maxLength: 40 }),
      rateLimits,
      async (calls, rateLimit) => {
        const { client, results } = startPlanned(calls, rateLimit);
        for (const { plan, result, tookMs } of await Promise.all(results)) {
          expect(tookMs).toBeLessThanOrEqual(plan.totalMs + 500);
          if (result.error?.code === 'timeout' && result.error.retryAfterMs !== undefined)
            expect(result.error.outcome).not.toBe('unknown');
        }
        expect(excessMs(client, rateLimit)).toBeLessThanOrEqual(toleranceMs);
      },
    ),
    { numRuns: inFull ? 2_000 : 100 },
  );
});

test('once all calls that wait were aborted, the next one leaves as if they had never been', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 60 }),
      rateLimits,
      fc.nat({ max: 3_000 }),
      async (count, rateLimit, abortAfterMs) => {
        const { orders, clock, departures, sleep } = createVirtualClient({ rateLimit });
        const controller = new AbortController();
        const options = { signal: controller.signal, timeouts: { total: 600_000 } };
        const calls = Array.from({ length: count }, (_, index) =>
          orders.safeUpdateOrder(`order_${index}`, { cart: {} }, options),
        );
        await sleep(abortAfterMs);
        controller.abort();
        await Promise.all(calls);
        const abortedAt = clock.now();
        const spacingMs = 1_000 / rateLimit.requestsPerSecond;
        // When what has left lets the next one leave.
        let dueAt = 0;
        for (const { at } of departures) dueAt = Math.max(dueAt, at - toleranceMs) + spacingMs;
        const freeAt = Math.max(abortedAt, dueAt - spacingMs * (rateLimit.burst - 1));
        await orders.updateOrder('order_next', { cart: {} });
        expect((departures.at(-1)?.at ?? 0) - freeAt).toBeLessThanOrEqual(toleranceMs);
      },
    ),
    { numRuns: inFull ? 500 : 50 },
  );
});

test('while hooks and credentials take 0 to 5 s each, the rate is used to at least 90 %', async () => {
  const slow = fc.constantFrom(0, 100, 1_500, 5_000);
  await fc.assert(
    fc.asyncProperty(
      fc.record({ hookMs: slow, credentialsMs: slow, isRandom: fc.boolean() }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 300, maxLength: 300 }),
      fc.integer({ min: 1, max: 4 }),
      async ({ hookMs, credentialsMs, isRandom }, parts, burst) => {
        const calls = parts.map((part): PlannedCall => {
          const of = (ms: number): number => (isRandom ? ms * part : ms);
          return {
            at: 0,
            hookMs: of(hookMs),
            credentialsMs: of(credentialsMs),
            connectMs: 0,
            latencyMs: 10,
            totalMs: 600_000,
            abortAfterMs: undefined,
            failingHook: undefined,
            retryAfter: undefined,
            breaks: false,
          };
        });
        const rateLimit = { requestsPerSecond: 10, burst };
        const { client, results } = startPlanned(calls, rateLimit);
        await Promise.all(results);
        const { departures } = client;
        expect(departures).toHaveLength(calls.length);
        // From the first departure on; what is slow takes a while to be known.
        const [first, last] = [departures[0]?.at ?? 0, departures.at(-1)?.at ?? 0];
        expect(calls.length / ((last - first) / 100)).toBeGreaterThanOrEqual(0.9);
        expect(excessMs(client, rateLimit)).toBeLessThanOrEqual(toleranceMs);
      },
    ),
    { numRuns: inFull ? 100 : 8 },
  );
});
const update = buildOrderUpdate();
const apiKey = 'swordfish-swordfish';
const once = { retry: { maxAttempts: 1 } };
const success = httpAnswer(200, {}, '{}');

/** A server that responds to the first request with a 429, and records when each arrives. */
async function startLimited(headers: Record<string, string>) {
  const arrivals: number[] = [];
  const server = await startRawServer((socket, _request, count) => {
    arrivals.push(performance.now());
    socket.write(count === 1 ? httpAnswer(429, headers) : success);
  });
  return Object.assign(server, { arrivals });
}

test('a 429 delays calls for every order, also one that beforeAttempt holds when the pause begins', async () => {
  await using server = await startLimited({ 'ratelimit-reset': '0.2' });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const gate = Promise.withResolvers<void>();
  const held = orders.updateOrder('order_held', update, { beforeAttempt: () => gate.promise });
  await orders.safeUpdateOrder('order_1', update, once);
  gate.resolve();
  await Promise.all([held, orders.updateOrder('order_2', update)]);
  const [first = 0, ...later] = server.arrivals;
  expect(later).toHaveLength(2);
  expect(Math.min(...later) - first).toBeGreaterThan(190);
});

test('a pause belongs to the key that got the 429, and resume lifts that of every key', async () => {
  const limited = basic('limited-key');
  await using server = await startRawServer((socket, request) =>
    socket.write(request.includes(limited.reveal()) ? httpAnswer(429, { 'retry-after': '60' }) : success),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const first = await orders.safeUpdateOrder('order_1', update, { credentials: limited });
  expect(first.error).toMatchObject({ status: 429, attemptCount: 1, retryable: true, retryAfterMs: 60_000 });
  expect(orders.pausedUntil).toBeUndefined();
  await expect(orders.updateOrder('order_2', update)).resolves.toMatchObject({ outcome: 'applied' });
  const again = await orders.safeUpdateOrder('order_3', update, { credentials: basic('limited-key') });
  expect(again.error).toMatchObject({
    code: 'timeout',
    phase: 'queue',
    outcome: 'not_sent',
    attemptCount: 0,
    retryable: true,
  });
  expect(again.error?.message).toMatch(
    /a 429 pauses this key for \d+ ms, longer than timeouts\.total allows\./,
  );
  expect(server.requests).toHaveLength(2);
  orders.resume();
  const lifted = await orders.safeUpdateOrder('order_3', update, { credentials: limited });
  expect(lifted.error).toMatchObject({ status: 429 });
});

test('after maxPauseMs one attempt goes first, and the others follow its response', async () => {
  const release = Promise.withResolvers<void>();
  const probing = Promise.withResolvers<void>();
  let limitedAt = 0;
  let probedAt = 0;
  await using server = await startRawServer(async (socket, _request, count) => {
    if (count === 1) limitedAt = performance.now();
    if (count === 2) {
      probedAt = performance.now();
      probing.resolve();
      await release.promise;
    }
    socket.write(count === 1 ? httpAnswer(429, { 'retry-after': '31536000' }) : success);
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, maxPauseMs: 100 });
  const first = await orders.safeUpdateOrder('order_first', update, once);
  expect(first.error?.retryAfterMs).toBe(31_536_000_000);
  const calls = Array.from({ length: 5 }, (_, index) => orders.updateOrder(`order_${index}`, update));
  await probing.promise;
  expect(probedAt - limitedAt).toBeGreaterThan(90);
  for (let turns = 0; turns < 10; turns++) await turn();
  expect(server.requests).toHaveLength(2);
  release.resolve();
  await Promise.all(calls);
  expect(server.requests).toHaveLength(6);
});

test('after a probe without a response, the next attempt is a probe, too, and no call waits forever', async () => {
  let count = 0;
  const { orders, departures, sleep } = createVirtualClient({ maxPauseMs: 100 }, () => {
    count++;
    if (count === 1) return { status: 429, headers: { 'retry-after': '999' } };
    return count < 4 ? { latencyMs: 500, breaks: true } : { latencyMs: 500 };
  });
  await orders.safeUpdateOrder('order_first', update, once);
  const calls = Array.from({ length: 6 }, (_, index) => orders.safeUpdateOrder(`order_${index}`, update));
  await sleep(50);
  const results = await Promise.all(calls);
  expect(results.map(({ ok }) => ok)).toEqual([false, false, true, true, true, true]);
  // Each probe is alone until it has ended.
  const [, first = 0, second = 0, third = 0, ...others] = departures.map(({ at }) => at);
  expect([second - first, third - second].map((ms) => ms >= 500)).toEqual([true, true]);
  expect(Math.min(...others)).toBeGreaterThanOrEqual(third + 500);
});

test.each([50, 70, 120])('after a pause of %i s, calls leave spread out', async (seconds) => {
  const { orders, departures } = createVirtualClient({ timeouts: { total: 1_000_000 } }, ({ path }) =>
    path.includes('first') ? { status: 429, headers: { 'retry-after': String(seconds) } } : {},
  );
  await orders.safeUpdateOrder('first', { cart: {} }, once);
  const calls = Array.from({ length: 20 }, (_, index) => orders.safeUpdateOrder(`order_${index}`, update));
  await Promise.all(calls);
  const [, first = 0, ...others] = departures.map(({ at }) => at);
  expect(others.filter((at) => at - first < 50).length).toBeLessThan(10);
});

test('keys whose pauses are long over are not kept in memory', async () => {
  let isRefusing = true;
  const { orders, sleep } = createVirtualClient({}, () =>
    isRefusing ? { status: 429, headers: { 'retry-after': '1' } } : {},
  );
  const useOwnKey = async (): Promise<WeakRef<object>> => {
    const credentials = () => basic(apiKey);
    await orders.safeUpdateOrder('order_1', update, { ...once, credentials });
    return new WeakRef(credentials);
  };
  const keys = await Promise.all(Array.from({ length: 20 }, useOwnKey));
  await sleep(120_000);
  // Another key that is refused makes room.
  await orders.safeUpdateOrder('order_2', update, once);
  isRefusing = false;
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  for (let round = 0; round < 3; round++) {
    await turn();
    collectGarbage();
  }
  expect(keys.filter((key) => key.deref() !== undefined)).toHaveLength(0);
});

test('pausedUntil shows a pause, and resume lifts it for calls and runs that wait', async () => {
  await using server = await startLimited({ 'retry-after': '3000' });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, timeouts: { total: 4_000_000 } });
  expect(orders.pausedUntil).toBeUndefined();
  const before = Date.now();
  await orders.safeUpdateOrder('order_first', update, once);
  expect(Number(orders.pausedUntil) - before).toBeGreaterThan(2_999_000);
  const waiting = orders.updateOrder('order_1', update);
  const source = ['a', 'b', 'c'].map((token) => ({ token, update }));
  const applied: boolean[] = [];
  const run = (async () => {
    for await (const { ok } of orders.updateOrders(source)) applied.push(ok);
  })();
  for (let turns = 0; turns < 10; turns++) await turn();
  expect(server.requests).toHaveLength(1);
  orders.resume();
  expect(orders.pausedUntil).toBeUndefined();
  await Promise.all([waiting, run]);
  expect(applied).toEqual([true, true, true]);
});

test('a 429 without a header has the backoff of the client as its retryAfterMs', async () => {
  await using server = await startLimited({});
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, ...once });
  const { error } = await orders.safeUpdateOrder('order_1', update);
  expect(error?.retryAfterMs).toBeGreaterThan(0);
  expect(error?.retryAfterMs).toBeLessThanOrEqual(1_000);
});

test('an attempt whose connection fails takes no slot, so that the next one leaves at once', async () => {
  let connections = 0;
  const connectMs = () => (++connections <= 2 ? 1_000 : 0);
  const rateLimit = { requestsPerSecond: 0.01 };
  const timeouts = { attempt: 500, total: 45_000 };
  const { orders, departures } = createVirtualClient({ rateLimit, timeouts }, () => ({}), connectMs);
  const result = await orders.safeUpdateOrder('order_1', { cart: {} });
  expect(result).toMatchObject({ ok: true, attemptCount: 3 });
  // Two attempts of 500 ms, and delays of at most 1 s and 2 s.
  expect(departures[0]?.at).toBeLessThanOrEqual(4_000);
});

test('an attempt that beforeSend ends takes no slot, so that the next one leaves at once', async () => {
  const { orders, clock, departures } = createVirtualClient({ rateLimit: { requestsPerSecond: 0.01 } });
  const beforeSend = (): never => {
    throw new Error('too late');
  };
  for (let call = 0; call < 3; call++) {
    const { error } = await orders.safeUpdateOrder('order_1', { cart: {} }, { beforeSend });
    expect(error).toMatchObject({ code: 'aborted', outcome: 'not_sent' });
  }
  const before = clock.now();
  await orders.updateOrder('order_1', { cart: {} });
  expect(departures).toHaveLength(1);
  expect(clock.now() - before).toBeLessThan(1_000);
});

test('a wait beyond timeouts.total fails at once with retryAfterMs', async () => {
  const { orders, clock } = createVirtualClient({ rateLimit: { requestsPerSecond: 0.5 } });
  await orders.updateOrder('order_1', { cart: {} });
  const leftAt = clock.now();
  const { error } = await orders.safeUpdateOrder('order_2', { cart: {} }, { timeouts: { total: 1_500 } });
  expect(error?.message).toContain('rateLimit delays it for 2000 ms, longer than timeouts.total allows');
  expect(error).toMatchObject({ code: 'timeout', outcome: 'not_sent', retryAfterMs: 2_000 });
  expect(clock.now()).toBe(leftAt);
});

test('calls of a key that got a 429 delay no other key, however many wait', async () => {
  const scenarios = fc.record({
    paused: fc.integer({ min: 150, max: 300 }),
    // What the service asks for: a pause, or only a slower pace.
    retryAfter: fc.constantFrom('0', '30'),
    rate: fc.constantFrom(5, 20),
    hookMs: fc.constantFrom(0, 500, 3_000),
  });
  await fc.assert(
    fc.asyncProperty(scenarios, async ({ paused, retryAfter, rate, hookMs }) => {
      const { orders, departures, sleep } = createVirtualClient(
        { rateLimit: { requestsPerSecond: rate }, ordering: 'none', timeouts: { total: 1_000_000 } },
        ({ path }) =>
          path.includes('refused')
            ? { status: 429, headers: { 'retry-after': retryAfter }, latencyMs: 5 }
            : {},
      );
      const controller = new AbortController();
      const { signal } = controller;
      const credentials = basic('another-key-that-is-refused');
      const update = { cart: {} };
      const refused = Array.from({ length: paused }, (_, index) =>
        orders.safeUpdateOrder(`refused_${index}`, update, { credentials, signal }),
      );
      await sleep(1_000);
      const others = Array.from({ length: rate * 30 }, (_, index) =>
        orders.safeUpdateOrder(`other_${index}`, update, { signal, beforeAttempt: () => sleep(hookMs) }),
      );
      await sleep(hookMs);
      const before = departures.length;
      await sleep(10_000);
      const left = departures.slice(before);
      controller.abort();
      await Promise.all([...refused, ...others]);
      expect(left.length).toBeGreaterThanOrEqual(0.9 * 10 * rate);
      expect(left.some(({ path }) => path.includes('other'))).toBe(true);
    }),
    { numRuns: inFull ? 40 : 4 },
  );
});

test('a key with a slower pace has its part of the rate, however many calls of another key wait', async () => {
  const { orders, departures, sleep } = createVirtualClient(
    { rateLimit: { requestsPerSecond: 20 }, ordering: 'none', timeouts: { total: 1_000_000 } },
    ({ path }) => (path.includes('first') ? { status: 429, headers: { 'retry-after': '0' } } : {}),
  );
  const credentials = basic('another-key-that-is-refused');
  const { signal } = new AbortController();
  await orders.safeUpdateOrder('first', { cart: {} }, { credentials, retry: { maxAttempts: 1 } });
  const send = (name: string, count: number, options: object) =>
    Array.from({ length: count }, (_, index) =>
      orders.safeUpdateOrder(`${name}_${index}`, { cart: {} }, { signal, ...options }),
    );
  const others = send('before', 300, {});
  const slower = send('slower', 5, { credentials });
  others.push(...send('after', 900, {}));
  await sleep(25_000);
  expect(departures.filter(({ path }) => path.includes('slower')).length).toBe(5);
  await Promise.all([...others, ...slower]);
});

test('a service that refuses one call in eight, whatever their pace, delays 60 calls by seconds', async () => {
  const seconds: number[] = [];
  for (let run = 1; run <= 100; run++) {
    let state = run;
    const refuses = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state % 8 === 0;
    };
    const { orders, clock } = createVirtualClient({ retry: { maxAttempts: 10 } }, () => ({
      latencyMs: 5,
      status: refuses() ? 429 : 200,
    }));
    let next = 0;
    const callAll = async () => {
      while (next < 60) await orders.updateOrder(`order_${next++}`, { cart: {} });
    };
    await Promise.all(Array.from({ length: 24 }, callAll));
    seconds.push(clock.now() / 1_000);
  }
  expect(Math.max(...seconds)).toBeLessThan(20);
});

test('a call that waits behind hundreds costs the clock no more reads than one behind a few', async () => {
  const readsPerCall = async (count: number): Promise<number> => {
    const { orders, clock, sleep } = createVirtualClient({ timeouts: { total: 1_000_000 } }, ({ path }) =>
      path.includes('first') ? { status: 429, headers: { 'retry-after': '100' } } : {},
    );
    await orders.safeUpdateOrder('first', { cart: {} }, { retry: { maxAttempts: 1 } });
    let reads = 0;
    const { now } = clock;
    const countedNow = (): number => {
      reads++;
      return now();
    };
    Object.assign(clock, { now: countedNow });
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = Array.from({ length: count }, (_, index) =>
      orders.safeUpdateOrder(`order_${index}`, { cart: {} }, { signal }),
    );
    await sleep(1_000);
    controller.abort();
    await Promise.all(waiting);
    return reads / count;
  };
  expect(await readsPerCall(500)).toBeLessThan(2 * (await readsPerCall(25)));
});

test.each(['queued', 'ready'])('a call that prepares anew after it was %s is counted once', async (state) => {
  const clock = createVirtualClock();
  const rateLimit = new RateLimit({ requestsPerSecond: 10 }, 3_600_000, clock);
  const createTurn = (): Turn => {
    const deadline = new Deadline(60_000, undefined, clock);
    const options = { credentials: basic(apiKey), timeouts: { total: 60_000 } };
    return rateLimit.createTurn({ attempts: [], deadline, options } as unknown as Call);
  };
  rateLimit.learn(createTurn(), { code: 'http_error', status: 429, retryAfterMs: 0 } as AttemptFailure);
  const before = rateLimit.waitMs(createTurn());
  for (let more = 0; more < 5; more++) {
    const failing = createTurn();
    const others = Array.from({ length: more }, createTurn);
    const ends = others.map((each) => rateLimit.waitForSlot(each));
    if (state === 'ready') ends.push(rateLimit.waitForSlot(failing));
    // Its credentials fail each time.
    for (let attempt = 0; attempt < 3; attempt++) ends.push(rateLimit.waitToPrepare(failing));
    for (const each of [failing, ...others]) {
      each.call.deadline.abort('enough');
      rateLimit.remove(each);
    }
    await Promise.all(ends);
  }
  expect(rateLimit.waitMs(createTurn())).toBe(before);
});

/** How often calls are looked at, for each call that waits, as each of these things happens to so many of them. */
async function countLooks(count: number, rate: { requestsPerSecond: number } | undefined) {
  const clock = createVirtualClock();
  const rateLimit = new RateLimit(rate, 3_600_000, clock);
  let looks = 0;
  const createTurn = (): Turn => {
    const deadline = new Deadline(2_000_000_000, undefined, clock);
    const options = { credentials: basic(apiKey), timeouts: { total: 2_000_000_000 } };
    const turn = rateLimit.createTurn({ attempts: [], deadline, options } as unknown as Call);
    const get: ProxyHandler<Turn>['get'] = (target, name) => {
      looks++;
      return Reflect.get(target, name);
    };
    return new Proxy(turn, { get });
  };
  const looksPerCall = async (happen: () => unknown): Promise<number> => {
    looks = 0;
    happen();
    for (let turns = 0; turns < 3; turns++) await turn();
    return looks / count;
  };
  const tooMany = { code: 'http_error', status: 429, retryAfterMs: 3_600_000 } as AttemptFailure;
  const success = { status: 200 } as AttemptResult;
  rateLimit.learn(createTurn(), tooMany);
  const turns = Array.from({ length: count }, createTurn);
  const prepared = Array.from({ length: count }, createTurn);
  const ends: Promise<unknown>[] = [];
  const abort = (turn: Turn, index: number): void => {
    turn.call.deadline.abort('enough');
    void ends[index]?.then(() => rateLimit.remove(turn));
  };
  const found = {
    join: await looksPerCall(() => ends.push(...turns.map((each) => rateLimit.waitToPrepare(each)))),
    prepare: await looksPerCall(() => ends.push(...prepared.map((each) => rateLimit.waitForSlot(each)))),
    'get a 429': await looksPerCall(() => rateLimit.learn(createTurn(), tooMany)),
    'see 100 responses': await looksPerCall(() => {
      for (let more = 0; more < 100; more++) rateLimit.learn(createTurn(), success);
    }),
    abort: await looksPerCall(() => [...turns, ...prepared].forEach(abort)),
  };
  await Promise.all(ends);
  return found;
}

test.each([undefined, { requestsPerSecond: 10 }])(
  'with the rate limit %o, what happens to a call costs no more while 4,000 wait than while 1,000 do',
  async (rate) => {
    const few = await countLooks(1_000, rate);
    const many = await countLooks(4_000, rate);
    for (const [what, looks] of Object.entries(few))
      expect([what, many[what as keyof typeof many] <= 1.2 * looks]).toEqual([what, true]);
  },
);

test.each([undefined, { requestsPerSecond: 10 }])(
  'with the rate limit %o, a response and a 429 read the clock no more for a key while 200 keys are paused than while 50 are',
  async (rate) => {
    const readsPerKey = async (count: number): Promise<readonly number[]> => {
      const clock = createVirtualClock();
      const rateLimit = new RateLimit(rate, 3_600_000, clock);
      const createTurn = (key: number): Turn => {
        const deadline = new Deadline(2_000_000_000, undefined, clock);
        const options = { credentials: basic(`key${key}`), timeouts: { total: 2_000_000_000 } };
        return rateLimit.createTurn({ attempts: [], deadline, options } as unknown as Call);
      };
      const tooMany = { code: 'http_error', status: 429, retryAfterMs: 3_600_000 } as AttemptFailure;
      const turns: Turn[] = [];
      for (let key = 0; key < count; key++) {
        rateLimit.learn(createTurn(key), tooMany);
        for (let more = 0; more < 5; more++) turns.push(createTurn(key));
      }
      const ends = turns.map((each, index) =>
        index % 5 === 0 ? rateLimit.waitForSlot(each) : rateLimit.waitToPrepare(each),
      );
      let reads = 0;
      const { now } = clock;
      Object.assign(clock, {
        now: () => {
          reads++;
          return now();
        },
      });
      const readsOf = (result: AttemptResult): number => {
        reads = 0;
        rateLimit.learn(createTurn(0), result);
        return reads / count;
      };
      const found = [readsOf({ status: 200 } as AttemptResult), readsOf(tooMany)];
      for (const each of turns) each.call.deadline.abort('enough');
      await Promise.all(ends);
      return found;
    };
    const [few, many] = [await readsPerKey(50), await readsPerKey(200)];
    expect(many.map((reads, index) => reads <= 1.2 * (few[index] ?? 0))).toEqual([true, true]);
  },
);
