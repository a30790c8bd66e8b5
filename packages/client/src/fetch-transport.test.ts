import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { basic } from '@orders/auth';
import { buildOrderUpdate } from '@orders/testing';
import { expect, expectTypeOf, test } from 'vitest';
import { createOrdersClient } from './fetch.ts';
import type { Fetch } from './options.ts';

const apiKey = 'swordfish-swordfish';
const token = 'secret_order_token_1234';
const update = buildOrderUpdate();
const json = { headers: { 'content-type': 'application/json' } };

function clientOf(fetch: Fetch, options: object = {}) {
  return createOrdersClient({ baseUrl: 'https://orders.example', apiKey, fetch, ...options });
}

/** A body that gives its chunks and then nothing more, and tells when it is let go. */
function stalling(...chunks: readonly Uint8Array[]) {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
    },
    cancel: () => resolve(),
  });
  return { body, cancelled };
}

test('a request is sent with nothing that caches, follows, reuses or repeats', async () => {
  const sent: [string, RequestInit][] = [];
  const orders = clientOf(async (url, init) => {
    sent.push([url, init]);
    return new Response('{}', json);
  });
  await orders.updateOrder(token, update);
  await orders.echo();
  const always = { redirect: 'manual', cache: 'no-store', credentials: 'omit', keepalive: false };
  const authorization = basic(apiKey).reveal();
  const accept = 'application/json';
  expect(sent).toEqual([
    [
      `https://orders.example/v2/orders/${token}`,
      {
        ...always,
        method: 'PATCH',
        headers: { accept, authorization, 'content-type': 'application/json' },
        body: JSON.stringify(update),
        signal: expect.any(AbortSignal),
      },
    ],
    [
      'https://orders.example/v2/echo_with_private_key',
      { ...always, method: 'GET', headers: { accept, authorization }, signal: expect.any(AbortSignal) },
    ],
  ]);
});

test('a redirect whose status a browser hides is unknown', async () => {
  const hidden = Object.defineProperty(new Response(), 'status', { value: 0 });
  const { error } = await clientOf(async () => hidden).safeUpdateOrder(token, update);
  expect(error).toMatchObject({ outcome: 'unknown', code: 'http_error', status: 0, attemptCount: 1 });
  expect(error?.message).toMatch(/: 0, a redirect/);
});

test('a character that two chunks share is read whole', async () => {
  const bytes = new TextEncoder().encode('{"name":"å😀"}');
  const body = new ReadableStream({
    start: (controller) => {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const { data } = await clientOf(async () => new Response(body, json)).updateOrder(token, update);
  expect(data).toEqual({ name: 'å😀' });
});

test('a fetch that does not heed the signal does not hold up the call', async () => {
  const orders = clientOf(() => new Promise(() => {}), { timeouts: { attempt: 20 } });
  const { error } = await orders.safeUpdateOrder(token, update);
  expect(error).toMatchObject({ code: 'timeout', phase: 'headers', outcome: 'unknown' });
});

test('a body that is not wanted any more is let go', async () => {
  const stalled = stalling(new TextEncoder().encode('{"a"'));
  const orders = clientOf(async () => new Response(stalled.body, json), { timeouts: { attempt: 200 } });
  const { error } = await orders.safeUpdateOrder(token, update);
  expect(error).toMatchObject({ code: 'timeout', phase: 'body', outcome: 'applied' });
  await stalled.cancelled;

  const late = stalling();
  const answerLate: Fetch = async () => {
    await pause(60);
    return new Response(late.body, json);
  };
  await clientOf(answerLate, { timeouts: { attempt: 20 } }).safeUpdateOrder(token, update);
  await late.cancelled;

  const large = stalling(new Uint8Array(101));
  const capped = clientOf(async () => new Response(large.body, json), { maxResponseBytes: 100 });
  expect((await capped.safeUpdateOrder(token, update)).error?.message).toMatch(/maxResponseBytes/);
  await large.cancelled;
});

test('a failure before the answer is unknown, even one that fetch throws at once', async () => {
  let calls = 0;
  const orders = clientOf(() => {
    calls += 1;
    throw new TypeError('The "cache" field is not implemented.');
  });
  const { error } = await orders.safeUpdateOrder(token, update);
  expect(error).toMatchObject({ outcome: 'unknown', code: 'connection_error', attemptCount: 1 });
  expect(calls).toBe(1);
});

test('a failure that certainly came before sending is not sent, and tried again', async () => {
  const failures = [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })];
  const orders = clientOf(async () => {
    const cause = failures.pop();
    if (cause) throw new TypeError('fetch failed', { cause });
    return new Response('{}', json);
  });
  const { receipt } = await orders.updateOrder(token, update);
  expect(receipt.toJSON().attempts).toMatchObject([{ outcome: 'not_sent' }, { outcome: 'applied' }]);
});

test('no error shows the order token that a runtime writes into its own', async () => {
  const orders = clientOf(async (url) => {
    throw new TypeError('fetch failed', { cause: new Error(`error sending request for url (${url})`) });
  });
  const { error } = await orders.safeUpdateOrder(token, update);
  expect(error?.message).toContain('error sending request for url (https://orders.example/…)');
  expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain('secret_order');
});

test('the runtime’s own fetch is a Fetch', () => {
  expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>();
});
