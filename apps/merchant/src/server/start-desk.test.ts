import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openTestDesk, pageDirectory } from '../../test/open-test-desk.ts';
import { startDesk } from './start-desk.ts';

test('closes with connections open, those that never asked for anything included', async () => {
  const open = await openTestDesk({ graceMs: 60_000 });
  const { hostname, port } = new URL(open.desk.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  await (await fetch(`${open.desk.url}/api/orders`)).text();
  const closed = once(socket.resume(), 'close');
  await open[Symbol.asyncDispose]();
  await closed;
  await expect(fetch(open.desk.url)).rejects.toThrow();
});

test('ends a stream of events at once when it closes', async () => {
  await using open = await openTestDesk({ graceMs: 60_000 });
  const stream = await fetch(`${open.desk.url}/api/events`);
  await Promise.all([open.desk.close(), stream.text()]);
});

test('cuts off a request that does not end in time when it closes', async () => {
  await using open = await openTestDesk({ graceMs: 1 });
  const { hostname, port } = new URL(open.desk.url);
  const socket = connect(Number(port), hostname);
  const head = `PUT /api/orders/order-1/draft HTTP/1.1\r\nHost: ${hostname}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`);
  await once(socket, 'connect');
  await (await fetch(`${open.desk.url}/api/orders`)).text();
  const closed = once(
    socket.resume().on('error', () => {}),
    'close',
  );
  await open.desk.close();
  await closed;
});

test('rejects with the error of the socket when its port is taken', async () => {
  await using open = await openTestDesk();
  const second = startDesk({
    ...open,
    desk: open.updates,
    pageDirectory,
    port: Number(new URL(open.desk.url).port),
  });
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
