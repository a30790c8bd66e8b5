import { basic } from '@orders/auth';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { createOrdersClient } from '../src/index.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';

const apiKey = 'swordfish-swordfish';
const update = buildOrderUpdate();
const ok = httpAnswer(200, {}, '{}');
const tokens = (count: number): string[] => Array.from({ length: count }, (_, index) => `order_${index}`);

/** A service that answers one request with a 429 and notes when each arrives. */
async function startLimited(headers: Record<string, string>, limited: (count: number) => boolean) {
  const arrivals: number[] = [];
  const server = await startRawServer((socket, _request, count) => {
    arrivals.push(performance.now());
    socket.write(limited(count) ? httpAnswer(429, headers) : ok);
  });
  return Object.assign(server, { arrivals });
}

test('a 429 holds back the updates to every order, and fails one that cannot outlast it before it is sent', async () => {
  const arrivals: number[] = [];
  await using server = await startRawServer((socket, _request, count) => {
    arrivals.push(performance.now());
    socket.write(count === 1 ? httpAnswer(429, { 'ratelimit-reset': '0.3' }) : httpAnswer(200, {}, '{}'));
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  await orders.safeUpdateOrder('order_1', update, { retry: { maxAttempts: 1 } });
  const [hasty, patient] = await Promise.all([
    orders.safeUpdateOrder('order_2', update, { timeouts: { total: 100 } }),
    orders.safeUpdateOrder('order_3', update),
  ]);
  expect(hasty.error).toMatchObject({
    code: 'timeout',
    phase: 'queue',
    outcome: 'not_sent',
    attemptCount: 0,
  });
  expect(hasty.error?.retryAfterMs).toBeGreaterThan(200);
  expect(patient.ok).toBe(true);
  expect(arrivals).toHaveLength(2);
  expect((arrivals[1] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(290);
});

test('attempts with a slot at the rate limit wait when a pause begins meanwhile', async () => {
  await using server = await startLimited({ 'retry-after': '1' }, (count) => count === 3);
  const rateLimit = { requestsPerSecond: 100 };
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, rateLimit });
  const results = await Promise.all(tokens(20).map((token) => orders.safeUpdateOrder(token, update)));
  expect(results.every(({ ok: applied }) => applied)).toBe(true);
  const [, , paused = 0, ...later] = server.arrivals;
  expect(later).toHaveLength(18);
  // Those in flight at the moment of the 429 arrive a few milliseconds after it.
  const within = later.filter((at) => at > paused + 50 && at < paused + 990);
  expect(within).toEqual([]);
  expect(later.filter((at) => at <= paused + 50).length).toBeLessThan(6);
});

test('an attempt that beforeAttempt or credentials held waits when a pause begins meanwhile', async () => {
  await using server = await startLimited({ 'retry-after': '1' }, (count) => count === 1);
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const gate = Promise.withResolvers<void>();
  const held = orders.updateOrder('order_held', update, { beforeAttempt: () => gate.promise });
  await orders.safeUpdateOrder('order_first', update, { retry: { maxAttempts: 1 } });
  gate.resolve();
  await held;
  const [first = 0, second = 0] = server.arrivals;
  expect(second - first).toBeGreaterThan(990);
});

test.each([
  ['a date thousands of years away', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  ['thirty years', '999999999'],
])('a Retry-After of %s pauses for maxPauseMs, then one attempt goes first', async (_name, retryAfter) => {
  const release = Promise.withResolvers<void>();
  const arrivals: number[] = [];
  await using server = await startRawServer(async (socket, _request, count) => {
    arrivals.push(performance.now());
    if (count === 2) await release.promise;
    socket.write(count === 1 ? httpAnswer(429, { 'retry-after': retryAfter }) : ok);
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, maxPauseMs: 300 });
  const first = await orders.safeUpdateOrder('order_first', update, { retry: { maxAttempts: 1 } });
  expect(first.error?.retryAfterMs).toBeGreaterThan(900_000_000_000);
  const calls = tokens(5).map((token) => orders.safeUpdateOrder(token, update));
  setTimeout(release.resolve, 600);
  expect((await Promise.all(calls)).map(({ ok: applied }) => applied)).toEqual(tokens(5).map(() => true));
  const [start = 0, probe = 0, ...others] = arrivals.map((at) => at - (arrivals[0] ?? 0));
  expect(start).toBe(0);
  expect(probe).toBeGreaterThan(295);
  expect(others).toHaveLength(4);
  expect(Math.min(...others)).toBeGreaterThan(500);
  expect(Math.max(...others)).toBeLessThan(2_000);
});

test('a call with little time left waits for the attempt that goes first, too', async () => {
  await using server = await startLimited({ 'retry-after': '3600' }, (count) => count === 1);
  await using orders = createOrdersClient({
    baseUrl: server.url,
    apiKey,
    maxPauseMs: 200,
    timeouts: { total: 5_000 },
  });
  await orders.safeUpdateOrder('order_first', update, { retry: { maxAttempts: 1 } });
  const results = await Promise.all(tokens(8).map((token) => orders.safeUpdateOrder(token, update)));
  expect(results.filter(({ ok: applied }) => !applied)).toEqual([]);
});

test('the pause of one key does not hold back calls with another', async () => {
  const limited = basic('limited-key');
  await using server = await startRawServer((socket, request, count) =>
    socket.write(
      count === 1 && request.includes(limited.reveal()) ? httpAnswer(429, { 'retry-after': '2' }) : ok,
    ),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const paused = orders.updateOrder('order_1', update, { credentials: limited });
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const start = performance.now();
  await orders.updateOrder('order_2', update);
  await orders.updateOrder('order_3', update);
  expect(performance.now() - start).toBeLessThan(1_000);
  await paused;
});

test('a pause is visible, and resume lifts it for calls and bulks that wait', async () => {
  await using server = await startLimited({ 'retry-after': '3000' }, (count) => count === 1);
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, timeouts: { total: 4_000_000 } });
  expect(orders.pausedUntil).toBeUndefined();
  await orders.safeUpdateOrder('order_first', update, { retry: { maxAttempts: 1 } });
  expect(Number(orders.pausedUntil) - Date.now()).toBeGreaterThan(2_990_000);
  const retried: number[] = [];
  const waiting = orders.updateOrder('order_1', update);
  const bulk = (async () => {
    const source = tokens(3).map((token) => ({ token, update }));
    for await (const { ok: applied } of orders.updateOrders(source)) retried.push(Number(applied));
  })();
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(server.arrivals).toHaveLength(1);
  orders.resume();
  expect(orders.pausedUntil).toBeUndefined();
  await Promise.all([waiting, bulk]);
  expect(retried).toEqual([1, 1, 1]);
});

test('a pause belongs to the key that was refused', async () => {
  const limited = basic('limited-key');
  await using server = await startRawServer((socket, request) =>
    socket.write(request.includes(limited.reveal()) ? httpAnswer(429, { 'retry-after': '60' }) : ok),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const first = await orders.safeUpdateOrder('order_1', update, { credentials: limited });
  expect(first.error).toMatchObject({ status: 429, retryable: true, retryAfterMs: 60_000 });
  expect(orders.pausedUntil).toBeUndefined();
  await expect(orders.updateOrder('order_2', update)).resolves.toMatchObject({ outcome: 'applied' });
  const again = await orders.safeUpdateOrder('order_3', update, { credentials: basic('limited-key') });
  expect(again.error).toMatchObject({
    code: 'timeout',
    phase: 'queue',
    outcome: 'not_sent',
    retryable: true,
  });
  expect(again.error?.message).toMatch(
    /a 429 pauses this key for \d+ ms, longer than timeouts\.total allows\./,
  );
  expect(server.requests).toHaveLength(2);
});

test('a 429 without a header says how long the client pauses', async () => {
  await using server = await startLimited({}, () => true);
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, retry: { maxAttempts: 1 } });
  const { error } = await orders.safeUpdateOrder('order_1', update);
  expect(error?.retryAfterMs).toBeGreaterThanOrEqual(0);
  expect(error?.retryAfterMs).toBeLessThanOrEqual(1_000);
});
