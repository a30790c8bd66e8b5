import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { openSocket } from '../../test/open-socket.ts';
import { basic, ECHO_PATH, send } from '../../test/send.ts';
import { startOrderService } from './order-service.ts';

test('keeps the request as it was sent', async () => {
  await using service = await startOrderService({ orders: ['a b'], now: () => 7 });
  await send(service, {
    path: '/v2/orders/a%20b?x=%31',
    headers: { 'x-trace': ['1', '2'] },
    body: '{"cart": {}}',
  });
  expect(service.journal).toEqual([
    {
      requestId: 'req_1',
      at: 7,
      method: 'PATCH',
      path: '/v2/orders/a%20b?x=%31',
      operation: 'update',
      token: 'a b',
      fault: undefined,
      headers: expect.objectContaining({ accept: 'application/json', 'x-trace': '1, 2' }),
      authorization: { scheme: 'basic', keyIndex: 0, keyType: 'SalesChannelApiKey' },
      body: Buffer.from('{"cart": {}}'),
      complete: true,
      status: 200,
      answeredAt: 7,
    },
  ]);
});

test('names headers in lower case, however they were written', async () => {
  await using service = await startOrderService();
  const socket = await openSocket(service);
  socket.write(
    `GET ${ECHO_PATH} HTTP/1.1\r\nHOST: x\r\nX-Trace: 1\r\nx-TRACE: 2\r\nAUTHORIZATION: sekret\r\n\r\n`,
  );
  await service.received(1);
  expect(service.journal[0]?.headers).toEqual({ host: 'x', 'x-trace': '1, 2', authorization: '[redacted]' });
  socket.destroy();
});

test('never holds a key, whatever the header made of it', async () => {
  await using service = await startOrderService({ keys: ['sekret'] });
  for (const authorization of [
    basic('sekret:'),
    basic('sekret'),
    'sekret',
    'Bearer sekret',
    'Basic sekret',
  ]) {
    await send(service, { headers: { authorization } });
  }
  const seen = inspect(service.journal, { depth: 9 });
  expect(seen).not.toContain('sekret');
  expect(seen).not.toContain(basic('sekret').slice('Basic '.length, -4));
  expect(service.journal.map(({ headers }) => headers['authorization'])).toEqual(Array(5).fill('[redacted]'));
});

test('tells which key was sent, and why one was not taken', async () => {
  await using service = await startOrderService({ keys: { one: 'SalesChannelApiKey', two: 'ReportApiKey' } });
  await send(service, { method: 'GET', path: ECHO_PATH, key: 'two' });
  await send(service, { key: 'three' });
  await send(service, { headers: { authorization: 'Bearer x' } });
  await send(service, { headers: { authorization: null } });
  expect(service.journal.map(({ authorization }) => authorization)).toEqual([
    { scheme: 'basic', keyIndex: 1, keyType: 'ReportApiKey' },
    { scheme: 'basic', problem: 'unknown' },
    { scheme: 'bearer', problem: 'unsupported' },
    { problem: 'missing' },
  ]);
});

test('keeps the body of a refused request too', async () => {
  await using service = await startOrderService();
  await send(service, { key: 'unknown', body: '{"cart":{}}' });
  expect(service.journal[0]?.body.toString()).toBe('{"cart":{}}');
});

test('keeps what arrived of a request that was cut off, and applies nothing', async () => {
  await using service = await startOrderService();
  const socket = await openSocket(service);
  socket.write(
    `PATCH /v2/orders/${service.token} HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(`${service.key}:`)}\r\n` +
      'content-type: application/json\r\ncontent-length: 12\r\n\r\n{"cart":{}}',
  );
  socket.end();
  await service.received(1);
  const [entry] = service.journal;
  expect(entry).toMatchObject({ complete: false, status: undefined });
  expect(entry?.body.toString()).toBe('{"cart":{}}');
  expect(service.ledger).toEqual([]);
});

test('lets a test wait until a request was received', async () => {
  await using service = await startOrderService();
  const both = service.received(2);
  await Promise.all([send(service), send(service), both]);
  await service.received(1);
  expect(service.journal).toHaveLength(2);
});

test('ends the wait for requests that can no longer arrive', async () => {
  const service = await startOrderService();
  const waits = expect(service.received(1)).rejects.toThrow('The service closed after 0 of 1 requests.');
  await service.close();
  await waits;
  await expect(service.received(1)).rejects.toThrow('closed');
});
