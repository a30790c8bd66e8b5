import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { constants, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { openSocket } from '../../test/open-socket.ts';
import {
  bodyOf,
  exchange,
  lengthOf,
  rawUpdate,
  readToEnd,
  readUntil,
  updateHead,
} from '../../test/raw-update.ts';
import { basic, ECHO_PATH, orderPath, type Sent, send } from '../../test/send.ts';
import { type Fault, scenarios } from './fault.ts';
import { startMockOrderService } from './mock-order-service.ts';

const usual = { token: 'order-1', revision: 1, order: { cart: {} } };
const usualText = JSON.stringify(usual);
const half = Math.floor(usualText.length / 2);
/** A service whose next request or connection meets the fault. */
const start = (fault: Fault, latencyMs = 0) =>
  startMockOrderService({ orders: ['order-1'], latencyMs, faults: [{ when: 'next', fault }] });

const json = { 'content-type': 'application/json' };
const scriptedError = '{"error":{"code":"fault_scripted","message":"A scripted fault."}}';
const bodiless = { 'content-type': undefined, 'content-length': undefined };

test.each<[Fault, number, string, Record<string, string | undefined>]>([
  [
    {
      type: 'status',
      status: 503,
      headers: { 'Retry-After': '2', 'Content-Type': 'text/plain' },
      body: 'too büsy',
    },
    503,
    'too büsy',
    { 'retry-after': '2', 'content-type': 'text/plain', 'content-length': '9' },
  ],
  [{ type: 'status', status: 999, body: '' }, 999, '', {}],
  [{ type: 'status', status: 429 }, 429, scriptedError, json],
  [{ type: 'status', status: 202 }, 202, usualText, json],
  [{ type: 'status', status: 204, headers: { etag: '"1"' } }, 204, '', { ...bodiless, etag: '"1"' }],
  [{ type: 'status', status: 304, headers: { etag: '"1"' } }, 304, '', { ...bodiless, etag: '"1"' }],
  [{ type: 'no_content' }, 204, '', bodiless],
  [{ type: 'empty' }, 200, '', { ...json, 'content-length': '0' }],
  [{ type: 'invalid_json' }, 200, '{"token":', json],
  [{ type: 'invalid_json', body: 'null and void' }, 200, 'null and void', json],
  [
    { type: 'wrong_media_type', mediaType: 'text/csv', body: 'a,b' },
    200,
    'a,b',
    { 'content-type': 'text/csv' },
  ],
  [
    { type: 'wrong_media_type' },
    200,
    expect.stringMatching(/^<!doctype html>/),
    { 'content-type': 'text/html; charset=utf-8' },
  ],
  [{ type: 'redirect' }, 307, '', { location: '/v2/moved' }],
  ...([301, 302, 303, 307, 308] as const).map((status): [Fault, number, string, Record<string, string>] => [
    { type: 'redirect', status, location: 'https://elsewhere.example/' },
    status,
    '',
    { location: 'https://elsewhere.example/' },
  ]),
])('%j is the response %j %j', async (fault, status, text, headers) => {
  await using service = await start(fault);
  const response = await send(service);
  expect([response.status, response.text]).toEqual([status, text]);
  const names = Object.keys(headers);
  expect(Object.fromEntries(names.map((name) => [name, response.headers[name]]))).toEqual(headers);
  const requestId = response.headers['x-request-id'];
  expect(service.journal).toMatchObject([{ requestId, status, fault, complete: true }]);
});

test('a 200 that applies nothing responds as if it had', async () => {
  await using service = await start({ type: 'status', status: 200, applied: false });
  expect((await send(service)).json).toEqual(usual);
  expect(service.order('order-1')).toEqual({ token: 'order-1', revision: 0, data: {} });
  expect((await send(service)).json).toEqual(usual);
});

test.each<[string, Sent]>([
  ['an echo', { method: 'GET', path: ECHO_PATH }],
  ['a HEAD', { method: 'HEAD', path: ECHO_PATH }],
  ['an unknown key', { key: 'unknown' }],
  ['a malformed path', { path: '/%' }],
])('a scripted status replaces the response to %s', async (_, sent) => {
  await using service = await start(scenarios.unavailable);
  const { status, text } = await send(service, sent);
  expect([status, text === '']).toEqual([503, sent.method === 'HEAD']);
});

test('latency applies the update first and delays no other request', async () => {
  await using service = await start({ type: 'latency', ms: 60_000 });
  const aborted = expect(send(service)).rejects.toThrow();
  await service.waitForRequests(1);
  expect(service.ledger).toHaveLength(1);
  expect((await send(service)).status).toBe(200);
  expect(service.journal.map(({ status }) => status)).toEqual([undefined, 200]);
  await service.close();
  await aborted;
});

test.each<[Fault, number, number]>([
  [{ type: 'latency', ms: 20 }, 20, 38],
  [{ type: 'slow_drip', intervalMs: 1 }, 0, usualText.length * 0.9],
])('%j with latencyMs %i takes at least %i ms', async (fault, latencyMs, atLeastMs) => {
  await using service = await start(fault, latencyMs);
  const begin = performance.now();
  expect(await send(service)).toMatchObject({ status: 200, json: usual });
  expect(performance.now() - begin).toBeGreaterThanOrEqual(atLeastMs);
});

test.each<[Fault, number, number]>([
  [{ type: 'stalled_body' }, usualText.length, half],
  [{ type: 'stalled_body', sentBytes: 0 }, usualText.length, 0],
  [{ type: 'stalled_body', sentBytes: 5 }, usualText.length, 5],
  [{ type: 'stalled_body', sentBytes: 1_000_000 }, usualText.length, usualText.length - 1],
  [{ type: 'slow_drip', intervalMs: 60_000 }, usualText.length, 1],
])('%j sends Content-Length %i, %i bytes, and stays open', async (fault, length, sentBytes) => {
  await using service = await start(fault);
  const socket = await openSocket(service, rawUpdate(service));
  const begun = await readUntil(socket, sentBytes);
  const ending = readToEnd(socket);
  expect((await send(service)).status).toBe(200);
  expect(socket.destroyed).toBe(false);
  await service.close();
  const text = begun + (await ending).text;
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect([lengthOf(text), bodyOf(text)]).toEqual([length, usualText.slice(0, sentBytes)]);
  expect(service.journal[0]).toMatchObject({ status: 200 });
});

test('stalled_headers sends nothing, and keeps the connection', async () => {
  await using service = await start({ type: 'stalled_headers' });
  const socket = await openSocket(service, rawUpdate(service));
  const ending = readToEnd(socket);
  await service.waitForRequests(1);
  expect((await send(service)).status).toBe(200);
  expect(socket.destroyed).toBe(false);
  await service.close();
  expect((await ending).text).toBe('');
  expect(service.journal[0]).toMatchObject({ complete: true, status: undefined, respondedAt: undefined });
});

test.each([
  [undefined, half],
  [0, 0],
  [1_000_000, usualText.length - 1],
])('truncation ends the connection after %j bytes of a longer body', async (sentBytes, arriving) => {
  await using service = await start({ type: 'truncation', sentBytes });
  const { text, end } = await exchange(service);
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect([end, lengthOf(text), bodyOf(text)]).toEqual([
    'fin',
    usualText.length,
    usualText.slice(0, arriving),
  ]);
});

test.each([undefined, 'ÿ\u0000 nonsense'])('garbage is not HTTP, then the end: %j', async (text) => {
  await using service = await start({ type: 'garbage', text });
  expect(await exchange(service)).toEqual({ text: text ?? 'SSH-2.0-OpenSSH_9.9\r\n', end: 'fin' });
  expect(service.journal[0]).toMatchObject({ complete: true, status: undefined });
});

test('close_after_response promises keep-alive and ends the connection', async () => {
  await using service = await startMockOrderService({ orders: ['order-1'] });
  const idle = await openSocket(service, rawUpdate(service));
  await readUntil(idle, usualText.length);
  service.faults.next({ type: 'close_after_response' });
  const { text, end } = await exchange(service);
  expect([bodyOf(text), end]).toEqual([usualText.replace('"revision":1', '"revision":2'), 'fin']);
  expect(text).toMatch(/\r\nconnection: keep-alive\r\nkeep-alive: timeout=60\r\n/i);
  // An idle connection ends after that minute anyway, which one that was idle before shows.
  expect(idle.readyState).toBe('open');
});

/** Sends an update that meets a fault, and returns the response undecoded. */
async function fetchBytes(fault: Fault) {
  await using service = await start(fault);
  const { statusCode, headers, body } = await request(service.url + orderPath(service.token), {
    method: 'PATCH',
    headers: { authorization: basic(`${service.key}:`), 'content-type': 'application/json' },
    body: '{"cart":{}}',
  });
  return { status: statusCode, headers, bytes: await buffer(body) };
}

test.each([
  [1, false, usualText.length],
  [3_000_000, false, 3_000_000],
  [3_000_000, true, 3_000_000],
])('oversize of %i bytes, chunked: %j, is %i bytes of the same JSON', async (bytes, chunked, length) => {
  const received = await fetchBytes({ type: 'oversize', bytes, chunked });
  expect([received.status, received.headers['content-length']]).toEqual([
    200,
    chunked ? undefined : String(length),
  ]);
  expect(received.bytes).toHaveLength(length);
  expect(JSON.parse(String(received.bytes))).toEqual(usual);
});

test('oversize is 16 MiB by default, and a client may leave in the middle', async () => {
  await using service = await start({ type: 'oversize' });
  const socket = await openSocket(service, rawUpdate(service));
  expect(lengthOf(await readUntil(socket, 100_000))).toBe(16 * 1024 * 1024);
  socket.resetAndDestroy();
  expect((await send(service)).status).toBe(200);
});

test.each([0, usualText.length + 1, 2_500_000])(
  'gzip_bomb of %i bytes is the same JSON to gunzip',
  async (size) => {
    const { status, headers, bytes } = await fetchBytes({ type: 'gzip_bomb', bytes: size });
    expect([status, headers['content-encoding'], headers['content-length']]).toEqual([
      200,
      'gzip',
      undefined,
    ]);
    expect(bytes.length).toBeLessThan(20_000);
    const expanded = gunzipSync(bytes, { finishFlush: constants.Z_FINISH });
    expect(expanded).toHaveLength(Math.max(size, usualText.length));
    expect(JSON.parse(String(expanded))).toEqual(usual);
  },
);

test('gzip_bomb is 256 MiB by default, in less than 0.3 MB', async () => {
  const { bytes } = await fetchBytes({ type: 'gzip_bomb' });
  expect(bytes.length).toBeLessThan(300_000);
  const asked = await fetchBytes({ type: 'gzip_bomb', bytes: 256 * 1024 * 1024 });
  expect(bytes.equals(asked.bytes)).toBe(true);
});

test('reset_on_accept resets before any request', async () => {
  await using service = await start({ type: 'reset_on_accept' });
  const { hostname, port } = new URL(service.url);
  expect(await once(connect(Number(port), hostname), 'error')).toMatchObject([{ code: 'ECONNRESET' }]);
  expect(service.faults.played).toEqual([{ fault: { type: 'reset_on_accept' }, requestId: undefined }]);
  expect(service.journal).toEqual([]);
  expect((await send(service)).status).toBe(200);
});

test('reset_before_body resets after the headers, without a wait for the body', async () => {
  await using service = await start({ type: 'reset_before_body' });
  expect(await exchange(service, updateHead(service, 11))).toEqual({ text: '', end: 'reset' });
  expect(service.journal).toMatchObject([{ method: 'PATCH', complete: false, status: undefined }]);
  expect(service.journal[0]?.body).toHaveLength(0);
});

test.each(['reset_before_applying', 'reset_after_applying'] as const)(
  '%s resets after the last byte of the body',
  async (type) => {
    await using service = await start({ type });
    const whole = rawUpdate(service);
    const socket = await openSocket(service, whole.slice(0, -1));
    const ending = readToEnd(socket);
    // The response means that the first request has arrived, and was not reset.
    expect((await send(service)).status).toBe(200);
    expect(socket.destroyed).toBe(false);
    socket.write(whole.slice(-1));
    expect(await ending).toEqual({ text: '', end: 'reset' });
    const [entry] = service.journal;
    expect(entry).toMatchObject({ fault: { type }, complete: true, status: undefined });
    expect(entry?.body.toString()).toBe('{"cart":{}}');
    const isApplied = type === 'reset_after_applying';
    expect(service.ledger.map(({ requestId }) => requestId)).toEqual(
      isApplied ? ['req_2', 'req_1'] : ['req_2'],
    );
  },
);

test('reset_on_reuse waits for a second request on one connection', async () => {
  await using service = await start({ type: 'reset_on_reuse' });
  const [first, second] = [await openSocket(service), await openSocket(service)];
  for (const socket of [first, second]) {
    socket.write(rawUpdate(service));
    expect(await readUntil(socket, 1)).toMatch(/^HTTP\/1\.1 200 /);
  }
  expect(service.faults.waiting).toEqual([{ type: 'reset_on_reuse' }]);
  first.write(rawUpdate(service));
  expect(await readToEnd(first)).toEqual({ text: '', end: 'reset' });
  second.write(rawUpdate(service));
  expect(await readUntil(second, 1)).toMatch(/^HTTP\/1\.1 200 /);
  expect(service.journal.map(({ status, fault }) => [status, fault?.type])).toEqual([
    [200, undefined],
    [200, undefined],
    [undefined, 'reset_on_reuse'],
    [200, undefined],
  ]);
  expect(service.ledger.map(({ requestId }) => requestId)).toEqual(['req_1', 'req_2', 'req_4']);
  second.destroy();
});
