import { expect, test } from 'vitest';
import { ECHO_PATH, orderPath, send } from '../../test/send.ts';
import { createOrderService, startOrderService } from './order-service.ts';

test('keeps as many entries of ledger and journal as told, and counts all', async () => {
  await using service = await startOrderService({ historyLimit: 3 });
  for (let sent = 1; sent <= 5; sent += 1) await send(service);
  await service.received(5);
  expect(service.ledger.map(({ revision }) => revision)).toEqual([3, 4, 5]);
  expect(service.journal.map(({ requestId }) => requestId)).toEqual(['req_3', 'req_4', 'req_5']);
  expect(service.order(service.token)?.revision).toBe(5);
});

test('can keep nothing at all', async () => {
  await using service = await startOrderService({ historyLimit: 0 });
  expect((await send(service)).status).toBe(200);
  expect([service.ledger, service.journal]).toEqual([[], []]);
});

test.each([-1, 1.5, Number.NaN])('refuses a limit of %d', async (historyLimit) => {
  await expect(startOrderService({ historyLimit })).rejects.toThrow(/^historyLimit: /);
});

test('finds the requests that a test asks about', async () => {
  await using service = await startOrderService({ orders: ['a', 'b/c'] });
  await send(service, { path: orderPath('b/c') });
  await send(service, { path: orderPath('a'), key: 'other' });
  await send(service, { path: ECHO_PATH, method: 'GET' });
  await send(service, { path: '/elsewhere' });
  const ids = (filter?: Parameters<typeof service.requests>[0]) =>
    service.requests(filter).map(({ requestId }) => requestId);
  expect(ids()).toEqual(['req_1', 'req_2', 'req_3', 'req_4']);
  expect(ids({ token: 'b/c' })).toEqual(['req_1']);
  expect(ids({ operation: 'update' })).toEqual(['req_1', 'req_2']);
  expect(ids({ operation: 'echo' })).toEqual(['req_3']);
  expect(ids({ method: 'PATCH', status: 401 })).toEqual(['req_2']);
  expect(ids({ status: 404 })).toEqual(['req_4']);
  expect(service.journal.map(({ operation, token }) => [operation, token])).toEqual([
    ['update', 'b/c'],
    ['update', 'a'],
    ['echo', undefined],
    [undefined, undefined],
  ]);
});

test('can be put back to how it began, for the next test', async () => {
  await using service = await startOrderService({
    orders: [{ token: 'a', data: { order_id: 'x' } }],
    faults: [{ when: 'next', play: { fault: 'status', status: 503 } }],
  });
  const { ledger, journal, faults } = service;
  const run = async () => {
    const statuses = [(await send(service)).status, (await send(service)).status];
    return { statuses, order: service.order('a'), played: faults.played.length };
  };
  const first = await run();
  service.addOrder('b');
  faults.always({ fault: 'status', status: 500 });
  service.reset();
  expect(service.orders).toEqual([{ token: 'a', data: { order_id: 'x' }, revision: 0 }]);
  expect([ledger, journal, faults.played, service.webhooks.sent]).toEqual([[], [], [], []]);
  expect(await run()).toEqual(first);
  expect(first.statuses).toEqual([503, 200]);
  await service.received(2);
});

test('makes an order while it runs', async () => {
  const service = createOrderService();
  const token = service.addOrder({ token: 'new', data: { order_id: 'x' } });
  expect(service.order(token)).toEqual({ token: 'new', data: { order_id: 'x' }, revision: 0 });
  expect(() => service.addOrder(token)).toThrow('orders: "new" is given twice.');
  expect(() => service.addOrder('..')).toThrow(TypeError);
});
