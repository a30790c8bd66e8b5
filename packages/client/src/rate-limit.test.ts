import { setImmediate as turn } from 'node:timers/promises';
import { basic } from '@orders/auth';
import { buildOrderUpdate } from '@orders/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';
import { createVirtualClock } from '../test/virtual-clock.ts';
import type { Call } from './call.ts';
import { Deadline } from './deadline.ts';
import { createOrdersClient } from './index.ts';
import type { RateLimitOptions } from './options.ts';
import { type EndAttempt, RateLimit, waitForSlot } from './rate-limit.ts';

const anyWait = Number.POSITIVE_INFINITY;
const key = basic('swordfish');
const hour = 3_600_000;

/** A limit on a clock that a test sets. */
function create(options?: RateLimitOptions) {
  let now = 0;
  const limit = new RateLimit(options, hour, { now: () => now, setTimer: () => () => {} });
  return {
    onChange: (run: () => void) => limit.onChange(run),
    at(ms: number): RateLimit {
      now = ms;
      return limit;
    },
  };
}

test('spaces attempts evenly after a burst', () => {
  const limit = create({ requestsPerSecond: 10, burst: 3 });
  expect([1, 2, 3, 4, 5].map(() => limit.at(1_000).reserveSlot(key, anyWait))).toEqual([0, 0, 0, 100, 200]);
});

test('never allows more than rate and burst, whenever attempts come', () => {
  const arrivals = fc.array(fc.nat({ max: 400 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 5 }), (gaps, burst) => {
      const limit = create({ requestsPerSecond: 10, burst });
      let now = 0;
      const leaves = gaps.map((gap) => {
        now += gap;
        return now + limit.at(now).reserveSlot(key, anyWait);
      });
      for (const start of leaves) {
        const inOneSecond = leaves.filter((at) => at >= start && at < start + 1_000 - 0.001).length;
        expect(inOneSecond).toBeLessThanOrEqual(10 + burst);
      }
    }),
  );
});

test('an attempt that cannot wait takes no slot', () => {
  const limit = create({ requestsPerSecond: 1 });
  expect(limit.at(0).reserveSlot(key, anyWait)).toBe(0);
  expect(limit.at(0).reserveSlot(key, 500)).toBe(1_000);
  expect(limit.at(0).reserveSlot(key, anyWait)).toBe(1_000);
});

test('a pause delays every attempt with the key, and a later one does not shorten it', () => {
  const limit = create();
  limit.at(0).pause(key, 5_000);
  limit.at(0).pause(key, 1_000);
  expect(limit.at(1_000).reserveSlot(key, anyWait)).toBe(4_000);
  expect(limit.at(1_000).pausedMs(key)).toBe(4_000);
  expect(limit.at(6_000).pausedMs(key)).toBe(0);
  expect(limit.at(6_000).reserveSlot(key, anyWait)).toBe(0);
});

test('a credentials function stands for the keys that it returns', () => {
  const limit = create();
  limit.at(0).pause(key, 5_000);
  const rotating = () => key;
  expect(limit.at(0).pausedMs(rotating)).toBe(0);
  limit.at(0).pause(rotating, 7_000);
  expect(limit.at(0).pausedMs(rotating)).toBe(7_000);
});

test('a pause within the longest ends for all attempts at once', () => {
  const limit = create();
  limit.at(0).pause(key, hour);
  expect(limit.at(hour - 1).start(key)).toBeUndefined();
  expect([limit.at(hour).start(key), limit.at(hour).start(key)]).not.toContain(undefined);
});

test('after the longest pause one attempt is a probe, and a response other than 429 ends the pause', () => {
  const limit = create();
  limit.at(0).pause(key, 30 * 24 * hour);
  expect(limit.at(0).pausedMs(key)).toBe(hour);
  expect(limit.at(hour - 1).start(key)).toBeUndefined();
  const endProbe = limit.at(hour).start(key) as EndAttempt;
  expect(limit.at(hour).start(key)).toBeUndefined();
  expect(limit.at(hour).pausedMs(key)).toBe(Number.POSITIVE_INFINITY);
  let notified = 0;
  limit.onChange(() => notified++);
  endProbe(true);
  expect(notified).toBe(1);
  expect([limit.at(hour).start(key), limit.at(hour).start(key)]).not.toContain(undefined);
});

test.each([
  ['begins the next pause', 2 * hour, hour],
  ['counts, however short its pause', 2_000, 2_000],
])('another 429 for the probe %s, and notifies waiting calls', (_name, again, pausedMs) => {
  const limit = create();
  limit.at(0).pause(key, 2 * hour);
  const endProbe = limit.at(hour).start(key) as EndAttempt;
  limit.at(hour).pause(key, again);
  let notified = 0;
  limit.onChange(() => notified++);
  endProbe(true);
  expect([limit.at(hour).pausedMs(key), notified]).toEqual([pausedMs, 1]);
  expect(limit.at(hour + pausedMs - 1).start(key)).toBeUndefined();
  expect(limit.at(hour + pausedMs).start(key)).toBeDefined();
});

test('the pause of one key takes no slot from another', () => {
  const limit = create();
  limit.at(0).pause(key, 5_000);
  limit.at(0).reserveSlot(key, anyWait);
  expect(limit.at(0).reserveSlot(basic('other key'), anyWait)).toBe(0);
});

test('a probe without a response proves nothing, and the next attempt is a probe, too', () => {
  const limit = create();
  limit.at(0).pause(key, 2 * hour);
  (limit.at(hour).start(key) as EndAttempt)(false);
  expect(limit.at(hour).start(key)).toBeDefined();
  expect(limit.at(hour).start(key)).toBeUndefined();
});

/** A call of so many milliseconds on a clock. */
function createCall(clock: ReturnType<typeof createVirtualClock>, totalMs: number): Call {
  const deadline = new Deadline(totalMs, undefined, clock);
  return {
    deadline,
    attempts: [],
    options: { credentials: key, timeouts: { total: totalMs } },
  } as unknown as Call;
}

test('calls with a slot wait when a pause begins meanwhile, and then leave at the rate', async () => {
  const clock = createVirtualClock();
  const limit = new RateLimit({ requestsPerSecond: 100 }, hour, clock);
  const left: number[] = [];
  const calls = Array.from({ length: 6 }, async () => {
    expect(await waitForSlot(createCall(clock, 30_000), limit)).toBeUndefined();
    left.push(clock.now());
    if (left.length === 3) limit.pause(key, 1_000);
  });
  await Promise.all(calls);
  expect(left).toEqual([0, 10, 20, 1_020, 1_030, 1_040]);
});

test('a call that a pause or the rate limit outlasts fails at once with the time left', async () => {
  const clock = createVirtualClock();
  const limit = new RateLimit({ requestsPerSecond: 0.5 }, hour, clock);
  limit.reserveSlot(key, anyWait);
  expect(await waitForSlot(createCall(clock, 1_500), limit)).toMatchObject({
    code: 'timeout',
    outcome: 'not_sent',
    what: 'rateLimit delays it for 2000 ms, longer than timeouts.total allows',
    retryAfterMs: 2_000,
  });
  limit.pause(key, 60_000);
  expect(await waitForSlot(createCall(clock, 1_500), limit)).toMatchObject({
    what: 'a 429 pauses this key for 60000 ms, longer than timeouts.total allows',
    retryAfterMs: 60_000,
    retryable: true,
  });
});

test('a call waits for the probe after the longest pause, however little time it has', async () => {
  const clock = createVirtualClock();
  const limit = new RateLimit(undefined, hour, clock);
  limit.pause(key, 2 * hour);
  clock.advance(hour);
  const endProbe = limit.start(key) as EndAttempt;
  const [waiting, late] = [5_000, 100].map((totalMs) => waitForSlot(createCall(clock, totalMs), limit));
  expect(await late).toMatchObject({ code: 'timeout', outcome: 'not_sent' });
  endProbe(true);
  expect(await waiting).toBeUndefined();
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
    socket.write(count === 1 ? httpAnswer(429, { 'retry-after': '999999999' }) : success);
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, maxPauseMs: 100 });
  const first = await orders.safeUpdateOrder('order_first', update, once);
  expect(first.error?.retryAfterMs).toBe(999_999_999_000);
  const calls = Array.from({ length: 5 }, (_, index) => orders.updateOrder(`order_${index}`, update));
  await probing.promise;
  expect(probedAt - limitedAt).toBeGreaterThan(90);
  for (let turns = 0; turns < 10; turns++) await turn();
  expect(server.requests).toHaveLength(2);
  release.resolve();
  await Promise.all(calls);
  expect(server.requests).toHaveLength(6);
});

test('pausedUntil shows a pause, and resume lifts it for calls and runs that wait', async () => {
  await using server = await startLimited({ 'retry-after': '3000' });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, timeouts: { total: 4_000_000 } });
  expect(orders.pausedUntil).toBeUndefined();
  await orders.safeUpdateOrder('order_first', update, once);
  expect(Number(orders.pausedUntil) - Date.now()).toBeGreaterThan(2_990_000);
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
