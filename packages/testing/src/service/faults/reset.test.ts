import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openSocket } from '../../../test/open-socket.ts';
import { exchange, rawUpdate, readToEnd, readUntil, updateHead } from '../../../test/raw-update.ts';
import { send } from '../../../test/send.ts';
import { startOrderService } from '../order-service.ts';

test('resets a connection on accept, before anything is sent, and knows of no request', async () => {
  await using service = await startOrderService();
  service.faults.next({ fault: 'reset_on_accept' });
  const { hostname, port } = new URL(service.url);
  const [error] = await once(connect(Number(port), hostname), 'error');
  expect(error).toMatchObject({ code: 'ECONNRESET' });
  expect(service.faults.played).toEqual([{ fault: { fault: 'reset_on_accept' }, requestId: undefined }]);
  expect(service.journal).toEqual([]);
  expect((await send(service)).status).toBe(200);
});

test('resets after the head without waiting for the body', async () => {
  await using service = await startOrderService();
  service.faults.next({ fault: 'reset_before_body' });
  expect(await exchange(service, updateHead(service, 11))).toEqual({ text: '', end: 'reset' });
  expect(service.journal).toMatchObject([{ method: 'PATCH', complete: false, status: undefined }]);
  expect(service.journal[0]?.body).toHaveLength(0);
  expect(service.ledger).toEqual([]);
});

test.each(['reset_before_applying', 'reset_after_applying'] as const)(
  'reads the whole body before %s',
  async (fault) => {
    await using service = await startOrderService();
    service.faults.next({ fault });
    const socket = await openSocket(service);
    const whole = rawUpdate(service);
    const ending = readToEnd(socket);
    socket.write(whole.slice(0, -1));
    // Had the first been reset already, this could not be answered before.
    expect((await send(service)).status).toBe(200);
    expect(socket.destroyed).toBe(false);
    socket.write(whole.slice(-1));
    expect(await ending).toEqual({ text: '', end: 'reset' });
    const [entry] = service.journal;
    expect(entry).toMatchObject({ fault: { fault }, complete: true, status: undefined });
    expect(entry?.body.toString()).toBe('{"cart":{}}');
    const isApplied = fault === 'reset_after_applying';
    expect(service.ledger.map(({ requestId }) => requestId)).toEqual(
      isApplied ? ['req_2', 'req_1'] : ['req_2'],
    );
  },
);

test('resets a request on a connection that carried one before, and waits for such a request', async () => {
  await using service = await startOrderService();
  service.faults.next({ fault: 'reset_on_reuse' });
  const [first, second] = [await openSocket(service), await openSocket(service)];
  for (const socket of [first, second]) {
    socket.write(rawUpdate(service));
    expect(await readUntil(socket, 1)).toMatch(/^HTTP\/1\.1 200 /);
  }
  expect(service.faults.waiting).toEqual([{ fault: 'reset_on_reuse' }]);
  first.write(rawUpdate(service));
  expect(await readToEnd(first)).toEqual({ text: '', end: 'reset' });
  second.write(rawUpdate(service));
  expect(await readUntil(second, 1)).toMatch(/^HTTP\/1\.1 200 /);
  expect(service.journal.map(({ status, fault }) => [status, fault?.fault])).toEqual([
    [200, undefined],
    [200, undefined],
    [undefined, 'reset_on_reuse'],
    [200, undefined],
  ]);
  expect(service.ledger.map(({ requestId }) => requestId)).toEqual(['req_1', 'req_2', 'req_4']);
  second.destroy();
});
