import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openSocket, readAll } from '../../test/open-socket.ts';
import { basic, codeOf, ECHO_PATH, send } from '../../test/send.ts';
import { startOrderService } from './order-service.ts';

const MIB = 1024 * 1024;

function head(
  service: { token: string; key: string },
  length: string,
  authorization = basic(`${service.key}:`),
) {
  return (
    `PATCH /v2/orders/${service.token} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n` +
    `content-type: application/json\r\n${length}\r\n\r\n`
  );
}

test('takes a body of exactly the limit and refuses one byte more with 413', async () => {
  await using service = await startOrderService({ maxBodyBytes: 11 });
  expect((await send(service, { body: '{"cart":{}}' })).status).toBe(200);
  const answer = await send(service, { body: '{"cart":{}} ' });
  expect([answer.status, codeOf(answer)]).toEqual([413, 'body_too_large']);
  expect(service.ledger).toHaveLength(1);
});

test('answers a body that is declared too large before any of it arrives', async () => {
  await using service = await startOrderService({ maxBodyBytes: 100 });
  const socket = await openSocket(service);
  socket.write(head(service, 'content-length: 101'));
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
  socket.destroy();
});

test('keeps no more than the limit of an upload without a declared length', async () => {
  await using service = await startOrderService({ maxBodyBytes: MIB });
  const socket = await openSocket(service);
  const answer = readAll(socket);
  socket.write(head(service, 'transfer-encoding: chunked'));
  for (let sent = 0; sent < 16; sent += 1) socket.write(`${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`);
  socket.write('0\r\n\r\n');
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(service.journal[0]?.body.length).toBeLessThanOrEqual(MIB);
  expect(service.journal[0]).toMatchObject({ complete: false, status: 413 });
});

test('is rid of an upload that never ends', async () => {
  await using service = await startOrderService({ maxBodyBytes: 100 });
  const socket = await openSocket(service);
  socket.write(head(service, 'content-length: 1000'));
  expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
});

test('judges the key of an upload that is too large', async () => {
  await using service = await startOrderService({ maxBodyBytes: 5 });
  expect((await send(service, { key: 'unknown' })).status).toBe(401);
});

test('serves the next request on the same connection after a refusal', async () => {
  await using service = await startOrderService();
  const socket = await openSocket(service);
  socket.write(
    `${head(service, 'content-length: 11', 'Basic !')}{"cart":{}}${head(service, 'content-length: 11')}`,
  );
  socket.write(`{"cart":{}}GET ${ECHO_PATH} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  const statuses = (await readAll(socket)).match(/(?<=HTTP\/1\.1 )\d+/g);
  expect(statuses).toEqual(['401', '200', '401']);
});
