import { setTimeout as delay } from 'node:timers/promises';
import { basic } from '@orders/auth';
import { buildOrderUpdate } from '@orders/testing';
import fc from 'fast-check';
import { buildConnector } from 'undici';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { createOrdersClient } from '../src/index.ts';
import { Agent } from '../src/undici.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';

const apiKey = 'swordfish-swordfish';
const update = buildOrderUpdate();
const success = httpAnswer(200, {}, '{}');

/** A slot is used at most so much late without moving those after it, in milliseconds. */
const catchUpMs = 5;

/** A server that counts requests, and a hook that records when each leaves and how late this process was at most. */
async function startRecording() {
  let arrived = 0;
  const server = await startRawServer((socket) => {
    arrived++;
    socket.write(success);
  });
  const departures: number[] = [];
  let latestMs = 0;
  let lookedAt = performance.now();
  const looking = setInterval(() => {
    latestMs = Math.max(latestMs, performance.now() - lookedAt);
    lookedAt = performance.now();
  }, 1);
  /** How many more left in some window than rate, burst and the lateness of the process allow. */
  const excess = (perSecond: number, burst: number): number => {
    let most = 0;
    for (const [index, from] of departures.entries())
      for (const [more, to] of departures.slice(index).entries())
        most = Math.max(most, more + 1 - burst - ((to - from + catchUpMs + latestMs) / 1_000) * perSecond);
    return most;
  };
  const stop = async (): Promise<void> => {
    clearInterval(looking);
    await server[Symbol.asyncDispose]();
  };
  const beforeSend = (): void => void departures.push(performance.now());
  return {
    url: server.url,
    beforeSend,
    departures,
    arrived: () => arrived,
    excess,
    [Symbol.asyncDispose]: stop,
  };
}

test('aborted calls keep no slot, over sockets: the next call does not wait for all of theirs', async () => {
  await using server = await startRecording();
  await using orders = createOrdersClient({
    baseUrl: server.url,
    apiKey,
    rateLimit: { requestsPerSecond: 5 },
  });
  const controller = new AbortController();
  const { signal } = controller;
  const first = Promise.withResolvers<void>();
  const timeouts = { total: 600_000 };
  const aborted = Array.from({ length: 400 }, (_, index) =>
    orders.safeUpdateOrder(`order_${index}`, update, { signal, timeouts, beforeSend: () => first.resolve() }),
  );
  await first.promise;
  controller.abort();
  await Promise.all(aborted);
  // All of their slots would take longer than it has.
  await expect(orders.updateOrder('order_next', update)).resolves.toMatchObject({ outcome: 'applied' });
});

test.each([
  [
    'a credentials function',
    (hold: () => Promise<void>) => ({ credentials: () => hold().then(() => basic(apiKey)) }),
  ],
  ['beforeAttempt', (hold: () => Promise<void>) => ({ beforeAttempt: hold })],
] as const)('calls that %s held for a while do not leave together', async (_name, optionsOf) => {
  await using server = await startRecording();
  const { beforeSend } = server;
  const until = Promise.withResolvers<void>();
  const rateLimit = { requestsPerSecond: 100 };
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, rateLimit, beforeSend });
  const options = optionsOf(() => until.promise);
  const calls = Array.from({ length: 12 }, (_, index) =>
    orders.updateOrder(`order_${index}`, update, options),
  );
  // All of their slots pass meanwhile.
  await delay(120);
  until.resolve();
  await Promise.all(calls);
  expect(server.arrived()).toBe(12);
  expect(server.excess(100, 1)).toBeLessThanOrEqual(0);
});

test('calls whose connections are ready together after a while do not leave together', async () => {
  await using server = await startRecording();
  const { beforeSend } = server;
  const until = Promise.withResolvers<void>();
  const open = buildConnector({});
  const dispatcher = new Agent({
    connect: (options, callback) => void until.promise.then(() => open(options, callback)),
  });
  const rateLimit = { requestsPerSecond: 100 };
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, rateLimit, beforeSend, dispatcher });
  const calls = Array.from({ length: 12 }, (_, index) => orders.updateOrder(`order_${index}`, update));
  // All of their slots pass meanwhile.
  await delay(120);
  until.resolve();
  await Promise.all(calls);
  expect(server.arrived()).toBe(12);
  expect(server.excess(100, 1)).toBeLessThanOrEqual(0);
  await dispatcher.close();
});

test('random calls, aborts, hooks and credentials: no window of departures exceeds rate and burst, and each arrives', async () => {
  const call = fc.record({
    afterMs: fc.nat({ max: 200 }),
    hookMs: fc.constantFrom(0, 0, 0, 5, 100, 300),
    credentialsMs: fc.constantFrom(0, 0, 0, 20, 200),
    abortAfterMs: fc.option(fc.nat({ max: 300 }), { freq: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 10, maxLength: 40 }),
      fc.constantFrom(50, 100, 200),
      fc.integer({ min: 1, max: 4 }),
      async (calls, requestsPerSecond, burst) => {
        await using server = await startRecording();
        const { beforeSend } = server;
        const rateLimit = { requestsPerSecond, burst };
        await using orders = createOrdersClient({ baseUrl: server.url, apiKey, rateLimit, beforeSend });
        const settled = calls.map(async ({ afterMs, hookMs, credentialsMs, abortAfterMs }, index) => {
          await delay(afterMs);
          return orders.safeUpdateOrder(`order_${index}`, update, {
            ...(abortAfterMs !== null && { signal: AbortSignal.timeout(abortAfterMs) }),
            beforeAttempt: () => (hookMs > 0 ? delay(hookMs) : undefined),
            credentials: async () => {
              if (credentialsMs > 0) await delay(credentialsMs);
              return basic(apiKey);
            },
          });
        });
        // One that is aborted after its departure may be reset before it arrives.
        const applied = (await Promise.all(settled)).filter(({ ok }) => ok).length;
        expect(server.arrived()).toBeGreaterThanOrEqual(applied);
        expect(server.departures.length).toBeGreaterThanOrEqual(server.arrived());
        expect(server.excess(requestsPerSecond, burst)).toBeLessThanOrEqual(0);
      },
    ),
    { numRuns: inFull ? 20 : 4 },
  );
});
