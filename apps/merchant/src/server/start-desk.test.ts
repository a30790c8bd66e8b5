import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openTestDesk, pageDirectory } from '../../test/open-test-desk.ts';
import { createKnownOrders } from './known-orders.ts';
import { startDesk } from './start-desk.ts';

test('closes with connections open, those that never asked for anything included', async () => {
  const open = await openTestDesk();
  const { hostname, port } = new URL(open.desk.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  await (await fetch(`${open.desk.url}/api/orders`)).text();
  const closed = once(socket.resume(), 'close');
  await open[Symbol.asyncDispose]();
  await closed;
  await expect(fetch(open.desk.url)).rejects.toThrow();
});

test('rejects with the error of the socket when its port is taken', async () => {
  await using open = await openTestDesk();
  const options = { pageDirectory, knownOrders: createKnownOrders([]), sendUpdate: () => Promise.reject() };
  const second = startDesk({ ...options, port: Number(new URL(open.desk.url).port) });
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
