import { constants, type Http2Session } from 'node:http2';
import { basic } from '@orders/auth';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { createOrdersClient, type OrdersClientOptions } from '../src/index.ts';
import { Agent } from '../src/undici.ts';
import { certifyServer, createAuthority } from './certificates.ts';
import { type Http2Request, respondJson, startHttp2Server } from './http2-server.ts';

const authority = await createAuthority('Private authority');
const certificate = await certifyServer(authority);
const apiKey = 'swordfish-swordfish';
const update = buildOrderUpdate();

function openClient(server: { readonly url: string }, options: Partial<OrdersClientOptions> = {}) {
  const dispatcher = new Agent({ allowH2: true, connect: { ca: authority.cert } });
  return createOrdersClient({
    baseUrl: server.url,
    apiKey,
    dispatcher,
    retry: { maxAttempts: 1 },
    ...options,
  });
}

test('an update over HTTP/2 arrives as given, and further ones share its session', async () => {
  await using server = await startHttp2Server(certificate, respondJson);
  await using orders = openClient(server);
  const result = await orders.updateOrder('order_1234', update);
  expect(result).toMatchObject({ outcome: 'applied', status: 200, attemptCount: 1 });
  await orders.updateOrder('order_1234', update);
  const [request] = server.requests;
  expect(request?.headers).toMatchObject({
    ':method': 'PATCH',
    ':path': '/v2/orders/order_1234',
    'content-type': 'application/json',
    authorization: basic(apiKey).reveal(),
  });
  expect(JSON.parse(request?.body ?? '')).toEqual(update);
  expect([server.requests.length, server.sessions.length]).toEqual([2, 1]);
});

test('a client without a dispatcher option offers HTTP/1.1 alone', async () => {
  const offered: string[][] = [];
  const ALPNCallback = ({ protocols }: { protocols: string[] }) => {
    offered.push(protocols);
    return protocols[0];
  };
  await using server = await startHttp2Server({ ...certificate, ALPNCallback }, respondJson);
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey, retry: { maxAttempts: 1 } });
  await orders.safeUpdateOrder('order_1234', update);
  expect(offered).toEqual([['http/1.1']]);
});

const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

test.each<[what: string, respond: (request: Http2Request, drop: () => void) => void]>([
  ['a stream reset with INTERNAL_ERROR', ({ stream }) => stream.close(NGHTTP2_INTERNAL_ERROR)],
  ['a stream reset with CANCEL', ({ stream }) => stream.close(NGHTTP2_CANCEL)],
  ['a stream reset with NO_ERROR', ({ stream }) => stream.close(NGHTTP2_NO_ERROR)],
  [
    'a GOAWAY that covers its request and then nothing',
    ({ session, stream }) => {
      session.goaway(NGHTTP2_NO_ERROR, stream.id ?? 0);
      setImmediate(() => session.destroy());
    },
  ],
  ['a session that ends', ({ session }) => session.destroy()],
  ['a session that ends with an error', ({ session }) => session.destroy(new Error('The server gives up.'))],
  ['a connection that breaks', (_request, drop) => drop()],
])('%s before a response is unknown and not resent', async (_what, respond) => {
  await using server = await startHttp2Server(certificate, (request) => respond(request, server.drop));
  await using orders = openClient(server, { retry: { maxAttempts: 3 } });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ code: 'connection_error', outcome: 'unknown', attemptCount: 1 });
  expect(server.requests).toHaveLength(1);
});

// RFC 9113, 8.7: REFUSED_STREAM proves that the request was not processed, so undici resends it once by itself.
test('a stream that is refused once is resent within its attempt', async () => {
  await using server = await startHttp2Server(certificate, (request) =>
    request.count === 1 ? request.stream.close(NGHTTP2_REFUSED_STREAM) : respondJson(request),
  );
  await using orders = openClient(server);
  const result = await orders.updateOrder('order_1234', update);
  expect(result).toMatchObject({ outcome: 'applied', attemptCount: 1 });
  expect([server.requests.length, server.sessions.length]).toEqual([2, 1]);
});

test('a stream that is refused twice is unknown and not sent a third time', async () => {
  await using server = await startHttp2Server(certificate, ({ stream }) =>
    stream.close(NGHTTP2_REFUSED_STREAM),
  );
  await using orders = openClient(server, { retry: { maxAttempts: 3 } });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({
    outcome: 'unknown',
    attemptCount: 1,
    message: expect.stringMatching(/REFUSED_STREAM/),
  });
  expect(server.requests).toHaveLength(2);
});

test('a stream reset in the middle of a 200 is applied', async () => {
  await using server = await startHttp2Server(certificate, ({ stream }) => {
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
    stream.write('{"id":', () => stream.close(NGHTTP2_INTERNAL_ERROR));
  });
  await using orders = openClient(server);
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ code: 'invalid_response', status: 200, outcome: 'applied' });
});

test('a response after a GOAWAY that covers its request counts, and the next call opens a session', async () => {
  await using server = await startHttp2Server(certificate, (request) => {
    request.session.goaway(NGHTTP2_NO_ERROR, request.stream.id ?? 0);
    setImmediate(() => respondJson(request));
  });
  await using orders = openClient(server);
  for (const sessions of [1, 2]) {
    await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({ outcome: 'applied' });
    expect(server.sessions).toHaveLength(sessions);
  }
  expect(server.requests).toHaveLength(2);
});

/** A server that sends GOAWAY to the first sessions before any request, and responds to none of theirs. */
function startLeavingServer(leaving: number) {
  const left = new Set<Http2Session>();
  return startHttp2Server(
    certificate,
    (request) => left.has(request.session) || respondJson(request),
    (session, count) => {
      if (count > leaving) return;
      left.add(session);
      session.goaway(NGHTTP2_NO_ERROR, 0);
    },
  );
}

test('a request that a GOAWAY leaves out is resent on another session within its attempt', async () => {
  await using server = await startLeavingServer(1);
  await using orders = openClient(server);
  await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({
    outcome: 'applied',
    attemptCount: 1,
  });
  expect(server.sessions).toHaveLength(2);
});

test('a request that two GOAWAYs leave out is unknown', async () => {
  await using server = await startLeavingServer(2);
  await using orders = openClient(server);
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ code: 'connection_error', outcome: 'unknown', attemptCount: 1 });
  expect(server.sessions).toHaveLength(2);
});

test('an aborted call resets its stream and leaves the others of its session open', async () => {
  const controller = new AbortController();
  let held: Http2Request | undefined;
  const reset = Promise.withResolvers<void>();
  await using server = await startHttp2Server(certificate, (request) => {
    if (request.count === 1) {
      held = request;
      return;
    }
    request.stream.on('close', reset.resolve);
    controller.abort(new Error('enough'));
  });
  await using orders = openClient(server);
  const other = orders.updateOrder('other', update);
  const { error } = await orders.safeUpdateOrder('order_1234', update, { signal: controller.signal });
  expect(error).toMatchObject({ code: 'aborted', outcome: 'unknown', cause: { message: 'enough' } });
  await reset.promise;
  if (held) respondJson(held);
  await expect(other).resolves.toMatchObject({ outcome: 'applied' });
  expect(server.sessions).toHaveLength(1);
});
