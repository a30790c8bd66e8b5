import { inspect } from 'node:util';
import { basic } from '@orders/auth';
import { buildOrderUpdate } from '@orders/testing';
import { expect, expectTypeOf, test } from 'vitest';
import { createOrdersClient } from './fetch.ts';
import { failedBeforeSend } from './fetch-transport.ts';
import type { Fetch } from './options.ts';
import { version } from './version.ts';

const apiKey = 'swordfish-swordfish';
const token = 'secret_order_token_1234';
const update = buildOrderUpdate();
const json = { headers: { 'content-type': 'application/json' } };

function clientOf(fetch: Fetch, options: object = {}) {
  return createOrdersClient({ baseUrl: 'https://orders.example', apiKey, fetch, ...options });
}

/** A body that stalls after its chunks, and a promise that it is cancelled. */
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

test('a request has the fields that prevent caching, redirects, reuse and resending', async () => {
  const sent: [string, RequestInit][] = [];
  const orders = clientOf(async (url, init) => {
    sent.push([url, init]);
    return new Response('{}', json);
  });
  await orders.updateOrder(token, update);
  await orders.echo();
  const always = {
    redirect: 'manual',
    cache: 'no-store',
    credentials: 'omit',
    keepalive: false,
    dispatcher: { dispatch: expect.any(Function) },
  };
  const authorization = basic(apiKey).reveal();
  const accept = 'application/json';
  const userAgent = { 'user-agent': `orders-client/${version} ${navigator.userAgent}` };
  expect(sent).toEqual([
    [
      `https://orders.example/v2/orders/${token}`,
      {
        ...always,
        method: 'PATCH',
        headers: { accept, authorization, 'content-type': 'application/json', ...userAgent },
        body: JSON.stringify(update),
        signal: expect.any(AbortSignal),
      },
    ],
    [
      'https://orders.example/v2/echo_with_private_key',
      {
        ...always,
        method: 'GET',
        headers: { accept, authorization, ...userAgent },
        signal: expect.any(AbortSignal),
      },
    ],
  ]);
});

test('a User-Agent of your own replaces that of the client, and a browser names itself', async () => {
  const sent: unknown[] = [];
  const fetch: Fetch = async (_url, init) => {
    sent.push(new Headers(init.headers).get('user-agent'));
    return new Response('{}', json);
  };
  await clientOf(fetch).updateOrder(token, update, { headers: { 'User-agent': 'shop/1.0' } });
  const inBrowser = { baseUrl: 'https://orders.example', apiKey, fetch, dangerouslyAllowBrowser: true };
  await createOrdersClient(inBrowser).updateOrder(token, update);
  expect(sent).toEqual(['shop/1.0', null]);
});

test('a redirect whose status a browser hides is unknown', async () => {
  const hidden = Object.defineProperty(new Response(), 'status', { value: 0 });
  const { error } = await clientOf(async () => hidden).safeUpdateOrder(token, update);
  expect(error).toMatchObject({ outcome: 'unknown', code: 'http_error', status: 0, attemptCount: 1 });
  expect(error?.message).toMatch(/: 0, a redirect/);
});

test('a character split over two chunks is decoded', async () => {
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

test('the body of a response is cancelled after a timeout, when it comes too late, and when it is too large', async () => {
  const stalled = stalling(new TextEncoder().encode('{"a"'));
  const orders = clientOf(async () => new Response(stalled.body, json), { timeouts: { attempt: 50 } });
  const { error } = await orders.safeUpdateOrder(token, update);
  expect(error).toMatchObject({ code: 'timeout', phase: 'body', outcome: 'applied' });
  await stalled.cancelled;

  const late = stalling();
  const timedOut = Promise.withResolvers<Response>();
  const ignoring = clientOf(() => timedOut.promise, { timeouts: { attempt: 20 } });
  const given = await ignoring.safeUpdateOrder(token, update);
  expect(given.error).toMatchObject({ code: 'timeout', phase: 'headers', outcome: 'unknown' });
  timedOut.resolve(new Response(late.body, json));
  await late.cancelled;

  const large = stalling(new Uint8Array(101));
  const capped = clientOf(async () => new Response(large.body, json), { maxResponseBytes: 100 });
  expect((await capped.safeUpdateOrder(token, update)).error?.message).toMatch(/maxResponseBytes/);
  await large.cancelled;
});

test('a failure before the response is unknown, even one that fetch throws synchronously', async () => {
  let calls = 0;
  const orders = clientOf(() => {
    calls += 1;
    throw new TypeError('The "cache" field is not implemented.');
  });
  const { error } = await orders.safeUpdateOrder(token, update);
  expect(error).toMatchObject({ outcome: 'unknown', code: 'connection_error', attemptCount: 1 });
  expect(calls).toBe(1);
});

test.each([
  ['error sending request for url (*)', 'error sending request for url (https://orders.example/…)'],
  ['', 'fetch failed'],
])('errors leave out the URL that a runtime writes into its own error: %j', async (message, shown) => {
  const orders = clientOf(async (url) => {
    throw new TypeError('fetch failed', { cause: new Error(message.replace('*', url)) });
  });
  const { error } = await orders.safeUpdateOrder(token, update);
  expect(error?.message).toContain(shown);
  expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain('secret_order');
});

test('the runtime’s own fetch is a Fetch', () => {
  expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>();
});

const named = (fields: object, message = 'why'): Error => Object.assign(new Error(message), fields);
const failed = (cause: unknown): TypeError => new TypeError('fetch failed', { cause });
const refused = named({ code: 'ECONNREFUSED', syscall: 'connect' });

// Each as the runtime was seen to fail.
test.each<[string, unknown]>([
  ['Node, refused', failed(refused)],
  ['Node, no such host', failed(named({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }))],
  ['Node, name server unreachable', failed(named({ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }))],
  ['Node, no route', failed(named({ code: 'EHOSTUNREACH', syscall: 'connect' }))],
  ['Node, connect timeout', failed(named({ code: 'UND_ERR_CONNECT_TIMEOUT' }))],
  ['Node, self-signed', failed(named({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }))],
  ['Node, unknown authority', failed(named({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }))],
  ['Node, expired', failed(named({ code: 'CERT_HAS_EXPIRED' }))],
  ['Node, another host', failed(named({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }))],
  [
    'Node, a host of two addresses',
    failed(Object.assign(new AggregateError([refused, refused]), { code: 'ECONNREFUSED' })),
  ],
  [
    'Bun, refused',
    Object.assign(new TypeError('ECONNREFUSED: Unable to connect.'), { code: 'ECONNREFUSED' }),
  ],
  ['Bun, no such host', Object.assign(new TypeError('x'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
])('failed before a byte was sent: %s', (_name, failure) => {
  expect(failedBeforeSend(failure)).toBe(true);
});

test.each<[string, unknown]>([
  ['Node, reset', failed(named({ code: 'ECONNRESET', syscall: 'read' }))],
  ['Node, broken pipe', failed(named({ code: 'EPIPE', syscall: 'write' }))],
  ['Node, no route any more', failed(named({ code: 'EHOSTUNREACH', syscall: 'read' }))],
  ['Node, closed', failed(named({ code: 'UND_ERR_SOCKET' }))],
  ['Node, not HTTP', failed(named({ name: 'HTTPParserError' }))],
  ['Node, 407', failed(new Error(''))],
  [
    'Node, two addresses, one reached',
    failed(new AggregateError([refused, named({ code: 'ECONNRESET', syscall: 'read' })])),
  ],
  ['no addresses', failed(new AggregateError([]))],
  ['Bun, reset', Object.assign(new TypeError('x'), { code: 'ECONNRESET' })],
  ['Bun before 1.4, refused', Object.assign(new TypeError('x'), { code: 'ConnectionRefused' })],
  ['Deno, refused', failed(new Error('client error (Connect): tcp connect error: Connection refused'))],
  [
    'Deno, reset',
    failed(new Error('client error (SendRequest): connection closed before message completed')),
  ],
  ['workerd', named({ retryable: true, remote: true }, 'Network connection lost.')],
  ['a browser', new TypeError('Failed to fetch')],
  ['an abort', new DOMException('aborted', 'AbortError')],
  ['a message alone', new Error('ECONNREFUSED')],
  ['a cause of a cause', failed(failed(refused))],
  ['a string', 'ECONNREFUSED'],
  ['nothing', undefined],
])('may have failed after a byte was sent: %s', (_name, failure) => {
  expect(failedBeforeSend(failure)).toBe(false);
});
