import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../../.ci/free-ports.ts';
import { openSocket } from '../../test/open-socket.ts';
import { exchange, rawUpdate, readToEnd } from '../../test/raw-update.ts';
import { send } from '../../test/send.ts';
import { startListening } from './listening.ts';
import { type MockOrderService, startMockOrderService } from './mock-order-service.ts';

const tenMinutes = 600_000;
const refused = { code: 'ECONNREFUSED' };

/** Resolves when the service accepts a connection. */
async function waitUntilUp(service: MockOrderService): Promise<void> {
  const socket = await openSocket(service).catch(() => undefined);
  if (socket === undefined) await waitUntilUp(service);
  else socket.destroy();
}

test('a restart ends every connection, and nothing listens', async () => {
  await using service = await startMockOrderService({ port: await freePort() });
  const [idle, half] = [
    await openSocket(service),
    await openSocket(service, rawUpdate(service).slice(0, -1)),
  ];
  const endings = [idle, half].map(readToEnd);
  // The response means that what was sent before has arrived.
  await send(service);
  service.faults.next({ type: 'restart', downMs: tenMinutes });
  expect((await exchange(service)).text).toBe('');
  expect(await Promise.all(endings)).toMatchObject([{ text: '' }, { text: '' }]);
  await expect(openSocket(service)).rejects.toMatchObject(refused);
  expect(service.journal).toMatchObject([
    { requestId: 'req_1', status: undefined, complete: false },
    { requestId: 'req_2', status: 200 },
    { requestId: 'req_3', status: undefined, complete: true, fault: { type: 'restart' } },
  ]);
  expect(service.ledger.map(({ requestId }) => requestId)).toEqual(['req_2']);
});

test('several requests that meet a restart lead to one, of 100 ms by default', async () => {
  await using service = await startMockOrderService({ port: await freePort() });
  service.faults.next({ type: 'restart' }, { times: 3 });
  const sockets = await Promise.all([1, 2, 3].map(() => openSocket(service)));
  const endings = sockets.map(readToEnd);
  const begin = performance.now();
  for (const socket of sockets) socket.write(rawUpdate(service));
  await Promise.all(endings);
  await waitUntilUp(service);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(95);
  service.faults.clear();
  expect((await send(service)).status).toBe(200);
});

test('connection_refused of `next` begins at once, ends open connections, and lasts downMs', async () => {
  await using service = await startMockOrderService({ port: await freePort() });
  const ending = readToEnd(await openSocket(service));
  const begin = performance.now();
  service.faults.next({ type: 'connection_refused', downMs: 100 });
  await expect(openSocket(service)).rejects.toMatchObject(refused);
  expect((await ending).text).toBe('');
  await waitUntilUp(service);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(95);
  expect((await send(service)).status).toBe(200);
  const fault = { type: 'connection_refused', downMs: 100 };
  expect(service.faults.played).toEqual([{ fault, requestId: undefined }]);
  expect([service.faults.waiting, service.journal.length]).toEqual([[], 1]);
});

test.each(['clear', 'reset'] as const)('connection_refused of `always` lasts until %s()', async (end) => {
  await using service = await startMockOrderService({ port: await freePort() });
  service.faults.always('down');
  await expect(openSocket(service)).rejects.toMatchObject(refused);
  if (end === 'clear') service.faults.clear();
  else service.reset();
  await waitUntilUp(service);
  expect((await send(service)).status).toBe(200);
});

test('connection_refused during a restart replaces the time of the restart', async () => {
  await using service = await startMockOrderService({ port: await freePort() });
  service.faults.next({ type: 'restart', downMs: tenMinutes });
  await exchange(service);
  service.faults.next({ type: 'connection_refused', downMs: 1 });
  await waitUntilUp(service);
  service.faults.next({ type: 'restart', downMs: 1 });
  await exchange(service);
  service.faults.always('down');
  const { listening: clock } = await listen();
  clock.goDown(20);
  await expect.poll(() => fetch(clock.url).then(({ status }) => status)).toBe(200);
  await expect(openSocket(service)).rejects.toMatchObject(refused);
});

test.each([
  ['a restart', (service: MockOrderService) => service.faults.next({ type: 'restart', downMs: tenMinutes })],
  ['connection_refused', (service: MockOrderService) => service.faults.always('down')],
])('closes at once during %s, and stays closed', async (_, goDown) => {
  const service = await startMockOrderService({ port: await freePort() });
  goDown(service);
  await exchange(service).catch(() => {});
  await service.close();
  service.faults.clear();
  await expect(openSocket(service)).rejects.toMatchObject(refused);
});

async function listen() {
  const server: Server = createServer((_, response) => response.end());
  const listening = await startListening(server, 0, '127.0.0.1');
  onTestFinished(listening.stop);
  return { server, listening };
}

test('waits for its port when another process took it meanwhile', async ({ skip }) => {
  const { server, listening } = await listen();
  const closed = once(server, 'close');
  listening.goDown(tenMinutes);
  await closed;
  const other = createNetServer().listen(Number(new URL(listening.url).port), '127.0.0.1');
  const isTaken = await once(other, 'listening').then(
    () => true,
    () => false,
  );
  if (!isTaken) skip('needs a system where a port that is held can be taken by its number');
  listening.goUp();
  expect(await once(server, 'error')).toMatchObject([{ code: 'EADDRINUSE' }]);
  other.close();
  await once(server, 'listening');
  expect((await fetch(listening.url)).status).toBe(200);
});

test.runIf(process.platform === 'linux')('no other server gets its port while it is down', async () => {
  const { listening } = await listen();
  const port = Number(new URL(listening.url).port);
  listening.goDown(tenMinutes);
  const given = new Set<number>();
  // The system chooses among some 14,000 ports.
  for (let turn = 0; turn < 40_000; turn += 1) {
    const other = createNetServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    given.add((other.address() as AddressInfo).port);
    other.close();
  }
  expect(given).not.toContain(port);
  await expect(openSocket(listening)).rejects.toMatchObject(refused);
  listening.goUp();
  await expect.poll(() => fetch(listening.url).then(({ status }) => status, String)).toBe(200);
});

test('never listens again after stop(), not even when it was about to', async () => {
  const { server, listening } = await listen();
  listening.goDown(tenMinutes);
  listening.goUp();
  await listening.stop();
  expect(server.listening).toBe(false);
  listening.goDown(0);
  listening.goUp();
  await listening.stop();
  expect(server.listening).toBe(false);
  await expect(fetch(listening.url)).rejects.toThrow();
});
