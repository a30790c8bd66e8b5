import { constants, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { openSocket } from '../../../test/open-socket.ts';
import { bodyOf, exchange, lengthOf, rawUpdate, readToEnd, readUntil } from '../../../test/raw-update.ts';
import { basic, orderPath, send } from '../../../test/send.ts';
import { type OrderService, startOrderService } from '../order-service.ts';

const usual = { token: 'order-1', revision: 1, order: { cart: {} } };
const usualText = JSON.stringify(usual);
const start = () => startOrderService({ orders: ['order-1'] });

/** An update whose answer is given as bytes, as they come over the wire. */
async function fetchBytes({ url, key, token }: OrderService) {
  const { statusCode, headers, body } = await request(url + orderPath(token), {
    method: 'PATCH',
    headers: { authorization: basic(`${key}:`), 'content-type': 'application/json' },
    body: '{"cart":{}}',
  });
  return { status: statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
}

test('holds an answer back by script, after the update is applied', async () => {
  await using service = await start();
  service.faults.next({ fault: 'latency', ms: 60_000 });
  const aborted = expect(send(service)).rejects.toThrow();
  await service.received(1);
  expect(service.ledger).toHaveLength(1);
  // The other request is not held back.
  expect((await send(service)).status).toBe(200);
  expect(service.journal.map(({ status }) => status)).toEqual([undefined, 200]);
  await service.close();
  await aborted;
});

test('answers as usual after a scripted latency, on top of the service’s own', async () => {
  await using service = await startOrderService({ orders: ['order-1'], latencyMs: 20 });
  service.faults.next({ fault: 'latency', ms: 20 });
  const begin = performance.now();
  expect(await send(service)).toMatchObject({ status: 200, json: usual });
  expect(performance.now() - begin).toBeGreaterThanOrEqual(38);
});

test('never answers, and keeps the connection', async () => {
  await using service = await start();
  service.faults.next({ fault: 'stalled_headers' });
  const socket = await openSocket(service);
  const ending = readToEnd(socket);
  socket.write(rawUpdate(service));
  await service.received(1);
  expect((await send(service)).status).toBe(200);
  expect(socket.destroyed).toBe(false);
  await service.close();
  // Everything that would ever have come has come by now.
  expect((await ending).text).toBe('');
  expect(service.journal[0]).toMatchObject({ complete: true, status: undefined, answeredAt: undefined });
});

test.each([
  [undefined, Math.floor(usualText.length / 2)],
  [0, 0],
  [5, 5],
  [1_000_000, usualText.length - 1],
])('stalls after %j bytes of the body', async (sentBytes, arriving) => {
  await using service = await start();
  service.faults.next({ fault: 'stalled_body', ...(sentBytes === undefined ? {} : { sentBytes }) });
  const socket = await openSocket(service);
  socket.write(rawUpdate(service));
  const answer = await readUntil(socket, arriving);
  const ending = readToEnd(socket);
  expect((await send(service)).status).toBe(200);
  expect(socket.destroyed).toBe(false);
  await service.close();
  const all = answer + (await ending).text;
  expect(all).toMatch(/^HTTP\/1\.1 200 /);
  expect(lengthOf(all)).toBe(usualText.length);
  expect(bodyOf(all)).toBe(usualText.slice(0, arriving));
  expect(service.journal[0]).toMatchObject({ status: 200 });
});

test('drips the body byte by byte', async () => {
  await using service = await start();
  service.faults.next({ fault: 'slow_drip', intervalMs: 60_000 });
  const socket = await openSocket(service);
  socket.write(rawUpdate(service));
  const answer = await readUntil(socket, 1);
  const ending = readToEnd(socket);
  expect((await send(service)).status).toBe(200);
  await service.close();
  expect(bodyOf(answer + (await ending).text)).toBe(usualText.slice(0, 1));
});

test('drips until the whole body is there', async () => {
  await using service = await start();
  service.faults.next({ fault: 'slow_drip', intervalMs: 1 });
  const begin = performance.now();
  expect(await send(service)).toMatchObject({ status: 200, json: usual });
  expect(performance.now() - begin).toBeGreaterThanOrEqual(usualText.length * 0.9);
});

test.each([
  [undefined, Math.floor(usualText.length / 2)],
  [0, 0],
  [1_000_000, usualText.length - 1],
])('ends the connection after %j bytes of a longer body', async (sentBytes, arriving) => {
  await using service = await start();
  service.faults.next({ fault: 'truncation', ...(sentBytes === undefined ? {} : { sentBytes }) });
  const { text, end } = await exchange(service);
  expect(end).toBe('fin');
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(lengthOf(text)).toBe(usualText.length);
  expect(bodyOf(text)).toBe(usualText.slice(0, arriving));
  expect(service.journal[0]).toMatchObject({ status: 200 });
});

test.each([undefined, 'ÿ\u0000 nonsense'])('answers with what is not HTTP, and ends: %j', async (given) => {
  await using service = await start();
  service.faults.next({ fault: 'garbage', ...(given === undefined ? {} : { text: given }) });
  expect(await exchange(service)).toEqual({ text: given ?? 'SSH-2.0-OpenSSH_9.9\r\n', end: 'fin' });
  expect(service.journal[0]).toMatchObject({ complete: true, status: undefined });
});

test.each([false, true])('answers with valid JSON of a given size, chunked: %j', async (chunked) => {
  await using service = await start();
  service.faults.next({ fault: 'oversize', bytes: 3_000_000, chunked });
  const { status, headers, bytes } = await fetchBytes(service);
  expect([status, headers['content-length']]).toEqual([200, chunked ? undefined : '3000000']);
  expect(bytes).toHaveLength(3_000_000);
  expect(JSON.parse(String(bytes))).toEqual(usual);
});

test('answers as usual when that is larger already', async () => {
  await using service = await start();
  service.faults.next({ fault: 'oversize', bytes: 1 });
  expect(await send(service)).toMatchObject({ text: usualText });
});

test('sends 16 MiB unless told, to no one who leaves', async () => {
  await using service = await start();
  service.faults.next({ fault: 'oversize' });
  const socket = await openSocket(service);
  socket.write(rawUpdate(service));
  expect(lengthOf(await readUntil(socket, 100_000))).toBe(16 * 1024 * 1024);
  socket.resetAndDestroy();
  expect((await send(service)).status).toBe(200);
});

test.each([0, 2_097_152, 9_999_999])('answers with gzip that expands to %i bytes of JSON', async (size) => {
  await using service = await start();
  service.faults.next({ fault: 'gzip_bomb', bytes: size });
  const { status, headers, bytes } = await fetchBytes(service);
  expect([status, headers['content-encoding']]).toEqual([200, 'gzip']);
  expect(bytes.length).toBeLessThan(20_000);
  const expanded = gunzipSync(bytes, { finishFlush: constants.Z_FINISH });
  expect(expanded).toHaveLength(Math.max(size, usualText.length));
  expect(JSON.parse(String(expanded))).toEqual(usual);
});

test('sends a bomb of 256 MiB in less than 0.3 MB', async () => {
  await using service = await start();
  service.faults.next({ fault: 'gzip_bomb' });
  const { bytes } = await fetchBytes(service);
  expect(bytes.length).toBeLessThan(300_000);
  expect(bytes.readUInt32LE(bytes.length - 4)).toBe(256 * 1024 * 1024);
});

test('ends a connection right after an answer that promised to keep it', async () => {
  await using service = await start();
  service.faults.next({ fault: 'close_after_answer' });
  const begin = performance.now();
  const { text, end } = await exchange(service);
  expect([bodyOf(text), end]).toEqual([usualText, 'fin']);
  expect(text).toMatch(/\r\nconnection: keep-alive\r\nkeep-alive: timeout=5\r\n/i);
  // An idle connection is ended after those five seconds anyway.
  expect(performance.now() - begin).toBeLessThan(3_000);
  expect(service.journal[0]).toMatchObject({ status: 200 });
});
