import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openSocket, readAll } from '../../test/open-socket.ts';
import { exchange, rawUpdate, readToEnd } from '../../test/raw-update.ts';
import { send } from '../../test/send.ts';
import { startListening } from './listening.ts';
import { type OrderService, startOrderService } from './order-service.ts';

const FOREVER = 600_000;

async function start() {
  const server: Server = createServer((_, response) => response.end());
  const listening = await startListening(server, 0, '127.0.0.1');
  onTestFinished(listening.stop);
  return { server, listening };
}

/** Waits for the service to listen by nothing but trying. */
async function isBack(service: OrderService): Promise<void> {
  const socket = await openSocket(service).catch(() => undefined);
  if (socket === undefined) await isBack(service);
  else socket.destroy();
}

test('goes down in mid-call: every connection ends and none is taken', async () => {
  await using service = await startOrderService();
  const [idle, half] = [await openSocket(service), await openSocket(service)];
  const endings = [readAll(idle), readAll(half)];
  half.write(rawUpdate(service).slice(0, -1));
  // Once this is answered, the one that was sent before has arrived.
  await send(service);
  service.faults.next({ fault: 'restart', downMs: FOREVER });
  expect((await exchange(service)).text).toBe('');
  expect(await Promise.all(endings)).toEqual(['', '']);
  await expect(openSocket(service)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(service.journal).toMatchObject([
    { requestId: 'req_1', status: undefined, complete: false },
    { requestId: 'req_2', status: 200 },
    { requestId: 'req_3', status: undefined, complete: true, fault: { fault: 'restart' } },
  ]);
  expect(service.ledger.map(({ requestId }) => requestId)).toEqual(['req_2']);
});

test.each([true, false])('comes back at the same address with all it knew, applied: %j', async (applied) => {
  await using service = await startOrderService();
  await send(service);
  service.faults.next({ fault: 'restart', downMs: 1, applied });
  await exchange(service);
  await isBack(service);
  expect((await send(service)).json).toMatchObject({ token: service.token, revision: applied ? 3 : 2 });
  expect(service.ledger.map(({ requestId }) => requestId)).toEqual(
    applied ? ['req_1', 'req_2', 'req_3'] : ['req_1', 'req_3'],
  );
  expect(service.faults.played).toEqual([
    { fault: { fault: 'restart', downMs: 1, applied }, requestId: 'req_2' },
  ]);
});

test('goes down once, however many calls bring it down', async () => {
  await using service = await startOrderService();
  service.faults.next({ fault: 'restart', downMs: 1 }, { times: 3 });
  const sockets = await Promise.all([1, 2, 3].map(() => openSocket(service)));
  const endings = sockets.map(readToEnd);
  for (const socket of sockets) socket.write(rawUpdate(service));
  await Promise.all(endings);
  service.faults.clear();
  await isBack(service);
  expect((await send(service)).status).toBe(200);
});

test('can be closed at once while it is down', async () => {
  const service = await startOrderService();
  service.faults.next({ fault: 'restart', downMs: FOREVER });
  await exchange(service);
  const begin = performance.now();
  await service.close();
  expect(performance.now() - begin).toBeLessThan(1000);
  await expect(openSocket(service)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('waits for its port when another took it meanwhile', async () => {
  const { server, listening } = await start();
  const closed = once(server, 'close');
  listening.restart(1);
  await closed;
  const other = createNetServer().listen(Number(new URL(listening.url).port), '127.0.0.1');
  await once(other, 'listening');
  expect(await once(server, 'error')).toMatchObject([{ code: 'EADDRINUSE' }]);
  other.close();
  await once(server, 'listening');
  expect((await fetch(listening.url)).status).toBe(200);
});

test('stays down for as long as it was told first', async () => {
  const [{ server, listening }, clock] = [await start(), await start()];
  listening.restart(FOREVER);
  await once(server, 'close');
  listening.restart(0);
  clock.listening.restart(10);
  await once(clock.server, 'listening');
  expect(server.listening).toBe(false);
});

test('stops for good while it is about to listen again', async () => {
  const { server, listening } = await start();
  const { promise, resolve } = Promise.withResolvers<void>();
  const listen = server.listen;
  server.listen = (...args: unknown[]) => {
    Reflect.apply(listen, server, args);
    resolve(listening.stop());
    return server;
  };
  listening.restart(0);
  await promise;
  expect(server.listening).toBe(false);
  await expect(fetch(listening.url)).rejects.toThrow();
});

test('does not come back after it was stopped, whenever that was', async () => {
  const { server, listening } = await start();
  listening.restart(0);
  await once(server, 'close');
  await listening.stop();
  listening.restart(0);
  await listening.stop();
  expect(server.listening).toBe(false);
});
