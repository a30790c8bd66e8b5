import { basic } from '@orders/auth';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';
import { createOrdersClient } from './index.ts';

const apiKey = 'swordfish-swordfish';
const update = buildOrderUpdate();

test('a refused connection is tried again and told as not sent', async () => {
  await using orders = createOrdersClient({
    baseUrl: 'http://127.0.0.1:1',
    apiKey,
    retry: { maxAttempts: 2 },
  });
  const error = await orders.updateOrder('order_1234', update).catch((reason) => reason);
  expect(error).toMatchObject({ code: 'connection_error', outcome: 'not_sent', attemptCount: 2 });
  expect(error.message).toMatch(
    /^PATCH \/v2\/orders\/…1234: no connection .*ECONNREFUSED.* The update was not sent\.$/,
  );
});

test('a 429 is retried after Retry-After and recovers', async () => {
  await using server = await startRawServer((socket, _request, count) =>
    socket.write(count === 1 ? httpAnswer(429, { 'retry-after': '0' }) : httpAnswer(200, {}, '{}')),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const result = await orders.updateOrder('order_1234', update);
  expect(result).toMatchObject({ outcome: 'applied', attemptCount: 2 });
  expect(result.receipt.toJSON().attempts).toMatchObject([
    { status: 429, outcome: 'rejected' },
    { status: 200, outcome: 'applied' },
  ]);
});

test('a Retry-After beyond the remaining time fails at once and says how long to wait', async () => {
  await using server = await startRawServer((socket) =>
    socket.write(httpAnswer(429, { 'retry-after': '60' })),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const error = await orders.updateOrder('order_1234', update).catch((reason) => reason);
  expect(error).toMatchObject({ status: 429, outcome: 'rejected', attemptCount: 1, retryAfterMs: 60_000 });
});

test('a reset after the request was sent is unknown and not repeated', async () => {
  await using server = await startRawServer((socket) => socket.resetAndDestroy());
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const error = await orders.updateOrder('order_1234', update).catch((reason) => reason);
  expect(error).toMatchObject({ code: 'connection_error', outcome: 'unknown', attemptCount: 1 });
  expect(server.requests).toHaveLength(1);
});

test('an unknown outcome is repeated when the caller opts in, and stays unknown after a 409', async () => {
  await using server = await startRawServer((socket, _request, count) =>
    count === 1 ? socket.resetAndDestroy() : socket.write(httpAnswer(409, {}, '{}')),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, retry: { resendUnknown: true } });
  const error = await orders.updateOrder('order_1234', update).catch((reason) => reason);
  expect(error).toMatchObject({ status: 409, outcome: 'unknown', attemptCount: 2 });
  expect(error.message).toMatch(/unknown/);
});

test('an echo is tried again after a reset, since it changes nothing', async () => {
  await using server = await startRawServer((socket, _request, count) =>
    count === 1 ? socket.resetAndDestroy() : socket.write(httpAnswer(200, {}, '{"ok":true}')),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  await expect(orders.echo()).resolves.toMatchObject({ data: { ok: true }, attemptCount: 2 });
});

test.each([
  ['headers that never come', () => {}, 'headers', 'unknown'],
  [
    'a body that stalls',
    (socket: { write(text: string): unknown }) =>
      void socket.write(httpAnswer(200, { 'content-length': '9' }, '{')),
    'body',
    'applied',
  ],
])('%s end as a timeout of the attempt', async (_name, answer, phase, outcome) => {
  await using server = await startRawServer(answer);
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, timeouts: { attempt: 500 } });
  const error = await orders.updateOrder('order_1234', update).catch((reason) => reason);
  expect(error).toMatchObject({ code: 'timeout', phase, outcome, attemptCount: 1 });
});

test('the total deadline covers all attempts and the pauses between', async () => {
  await using server = await startRawServer(() => {});
  await using orders = createOrdersClient({
    baseUrl: server.url,
    apiKey,
    timeouts: { attempt: 60, total: 100 },
    retry: { maxAttempts: 50 },
  });
  const start = performance.now();
  await expect(orders.echo()).rejects.toMatchObject({ code: 'timeout' });
  expect(performance.now() - start).toBeLessThan(1_000);
});

test('an update that waits too long behind another ends as a timeout of the queue, and is not sent', async () => {
  await using server = await startRawServer(() => {});
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, timeouts: { attempt: 300 } });
  const first = orders.updateOrder('order_1234', update).catch((reason) => reason);
  const second = await orders
    .updateOrder('order_1234', update, { timeouts: { total: 50 } })
    .catch((reason) => reason);
  expect(second).toMatchObject({ code: 'timeout', phase: 'queue', outcome: 'not_sent', attemptCount: 0 });
  expect(await first).toMatchObject({ outcome: 'unknown' });
  expect(server.requests).toHaveLength(1);
});

test('an abort ends a call wherever it stands, with the right outcome', async () => {
  await using server = await startRawServer(() => {
    sent.abort(new Error('enough'));
  });
  const sent = new AbortController();
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const before = orders.updateOrder('order_1234', update, { signal: AbortSignal.abort('early') });
  await expect(before).rejects.toMatchObject({
    code: 'aborted',
    outcome: 'not_sent',
    attemptCount: 0,
    cause: 'early',
  });
  const after = orders.updateOrder('order_1234', update, { signal: sent.signal });
  await expect(after).rejects.toMatchObject({
    code: 'aborted',
    outcome: 'unknown',
    attemptCount: 1,
    cause: { message: 'enough' },
  });
});

test('an answer larger than maxResponseBytes is told as applied and not read on', async () => {
  await using server = await startRawServer((socket) =>
    socket.write(httpAnswer(200, {}, JSON.stringify('x'.repeat(5_000)))),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, maxResponseBytes: 1_000 });
  await expect(orders.updateOrder('order_1234', update)).rejects.toMatchObject({
    code: 'invalid_response',
    outcome: 'applied',
  });
});

test('a response that echoes the key shows it in the data of a success alone', async () => {
  const echo = (request: string): string => /authorization: (.*)\r\n/i.exec(request)?.[1] ?? '';
  await using server = await startRawServer((socket, request, count) => {
    const body = JSON.stringify({ you: echo(request), key: apiKey });
    socket.write(httpAnswer(count === 1 ? 200 : 400, { 'x-echo': echo(request) }, body));
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const { data, headers } = await orders.echo();
  expect(data).toEqual({ you: basic(apiKey).reveal(), key: apiKey });
  expect(headers['x-echo']).toBe('[secret]');
  const error = await orders.updateOrder('order_1234', update).catch((reason) => reason);
  expect(error.headers['x-echo']).toBe('[secret]');
  expect(error.body).toBe('{"you":"[secret]","key":"[secret]"}');
});

test('a redirect is not followed', async () => {
  await using server = await startRawServer((socket) =>
    socket.write(httpAnswer(307, { location: 'http://127.0.0.1:1/' })),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  await expect(orders.updateOrder('order_1234', update)).rejects.toMatchObject({
    status: 307,
    outcome: 'unknown',
    attemptCount: 1,
  });
  expect(server.requests).toHaveLength(1);
});

test('a receipt shows host, attempts and request ids, and no body, key or whole order token', async () => {
  await using server = await startRawServer((socket) =>
    socket.write(httpAnswer(200, { 'x-request-id': 'req_7f3a' }, '{}')),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const { receipt } = await orders.updateOrder('secret_order_token_1234', update);
  const { id, operation, host, bodyBytes, attempts, versions } = receipt.toJSON();
  expect(receipt.toJSON().id).toBe(id);
  expect(operation).toBe('PATCH /v2/orders/…1234');
  expect(host).toBe(new URL(server.url).host);
  expect(bodyBytes).toBe(JSON.stringify(update).length);
  expect(attempts).toMatchObject([{ status: 200, requestId: 'req_7f3a', outcome: 'applied' }]);
  expect(versions.runtime).toMatch(/^Node\.js/);
  expect(`${receipt}`).toMatch(
    /^PATCH \/v2\/orders\/…1234 to \S+ at \S+Z, \d+ bytes, receipt \S+\n {2}attempt 1 after 0 ms, took \d+ ms: 200 req_7f3a/,
  );
  expect(server.requests[0]).not.toContain(id);
});

test('requestsPerSecond spaces the attempts of all calls', async () => {
  const arrivals: number[] = [];
  await using server = await startRawServer((socket) => {
    arrivals.push(performance.now());
    socket.write(httpAnswer(200, {}, '{}'));
  });
  const rateLimit = { requestsPerSecond: 50, burst: 2 };
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, rateLimit });
  const tokens = Array.from({ length: 12 }, (_, index) => `order_${index}`);
  const start = performance.now();
  await Promise.all(tokens.map((token) => orders.updateOrder(token, update)));
  // Two at once, then ten at intervals of 20 ms.
  expect((arrivals.at(-1) ?? 0) - start).toBeGreaterThan(198);
});

test('a wait at the rate limit ends with the signal', async () => {
  await using server = await startRawServer((socket) => socket.write(httpAnswer(200, {}, '{}')));
  await using orders = createOrdersClient({
    baseUrl: server.url,
    apiKey,
    rateLimit: { requestsPerSecond: 0.1 },
  });
  await orders.updateOrder('order_1', update);
  const abort = new AbortController();
  const held = orders.updateOrder('order_2', update, { signal: abort.signal });
  abort.abort('enough');
  await expect(held).rejects.toMatchObject({
    code: 'aborted',
    outcome: 'not_sent',
    attemptCount: 0,
    cause: 'enough',
  });
});

test('a receipt counts the wait in the lane', async () => {
  const release = Promise.withResolvers<void>();
  await using server = await startRawServer(async (socket, _request, count) => {
    if (count === 1) await release.promise;
    socket.write(httpAnswer(200, {}, '{}'));
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const first = orders.updateOrder('order_1234', update);
  const second = orders.updateOrder('order_1234', update);
  setTimeout(release.resolve, 120);
  await first;
  const [attempt] = (await second).receipt.toJSON().attempts;
  expect(attempt?.startedAfterMs).toBeGreaterThan(115);
});

test('time that runs out before the next attempt is named as such, not as a rate limit', async () => {
  await using server = await startRawServer((socket) =>
    socket.write(httpAnswer(429, { 'retry-after': '0' })),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, timeouts: { total: 200 } });
  // Keeps the thread until no time is left.
  const afterAttempt = (): void => {
    const start = performance.now();
    while (performance.now() - start < 250);
  };
  const error = await orders.updateOrder('order_1234', update, { afterAttempt }).catch((reason) => reason);
  expect(error).toMatchObject({
    code: 'timeout',
    phase: 'queue',
    outcome: 'rejected',
    retryAfterMs: undefined,
  });
  expect(error.message).toBe(
    'PATCH /v2/orders/…1234: timed out after 200 ms (timeouts.total) before the next attempt. The update was not applied.',
  );
});

test.each([
  ['a refused connection', undefined, 'not_sent', true],
  ['a 429', httpAnswer(429, { 'retry-after': '90' }), 'rejected', true],
  ['a 409', httpAnswer(409, {}, '{}'), 'rejected', false],
  ['a 503', httpAnswer(503, { 'retry-after': '1' }), 'unknown', false],
  ['a 200 that is not JSON', httpAnswer(200, {}, '{'), 'applied', false],
])('%s: error.retryable says whether the same call is safe and may succeed', async (...row) => {
  const [, response, outcome, retryable] = row;
  await using server = await startRawServer((socket) => socket.write(response ?? ''));
  const baseUrl = response === undefined ? 'http://127.0.0.1:1' : server.url;
  await using orders = createOrdersClient({ baseUrl, apiKey, retry: { maxAttempts: 1 } });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ outcome, retryable });
});

test('neither validation, nor an abort, nor a closed client is retryable; an echo without a response is', async () => {
  await using server = await startRawServer((socket) => socket.resetAndDestroy());
  const orders = createOrdersClient({ baseUrl: server.url, apiKey, retry: { maxAttempts: 1 } });
  const echo = await orders.echo().catch((reason) => reason);
  expect(echo).toMatchObject({ outcome: 'unknown', retryable: true });
  const invalid = await orders.safeUpdateOrder('order_1234', JSON.parse('{}'));
  const aborted = await orders.safeUpdateOrder('order_1234', update, { signal: AbortSignal.abort() });
  await orders.close();
  const closed = await orders.safeUpdateOrder('order_1234', update);
  expect([invalid, aborted, closed].map(({ error }) => error?.retryable)).toEqual([false, false, false]);
});
