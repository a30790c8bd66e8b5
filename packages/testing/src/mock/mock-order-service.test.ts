import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { openSocket } from '../../test/open-socket.ts';
import { exchange, rawUpdate, readToEnd } from '../../test/raw-update.ts';
import { basic, ECHO_PATH, orderPath, send } from '../../test/send.ts';
import { type MockOrderServiceOptions, startMockOrderService } from './mock-order-service.ts';

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

test.each([
  [undefined, '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ...(hasIPv6 ? ['::1', '::'].map((host) => [host, '[::1]'] as const) : []),
] as const)('with the host %j, its URL names %s', async (host, name) => {
  await using service = await startMockOrderService(host === undefined ? {} : { host });
  expect(service.url).toMatch(/:\d+$/);
  expect(service.url.replace(/\d+$/, '')).toBe(`http://${name}:`);
  expect((await send(service)).status).toBe(200);
});

test('an idle connection outlives a process that stands still for some seconds', async () => {
  await using service = await startMockOrderService();
  const { headers } = await fetch(service.url);
  expect(headers.get('keep-alive')).toBe('timeout=60');
});

test('listens on the given port, and rejects when that is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(startMockOrderService({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  other.close();
  await once(other, 'close');
  await using service = await startMockOrderService({ port });
  expect(service.url).toBe(`http://127.0.0.1:${port}`);
});

const badValues: Readonly<Record<string, readonly unknown[]>> = {
  host: ['', 5],
  port: ['x', -1],
  latencyMs: [-1, 2 ** 31],
  maxBodyBytes: [1.5],
  historyLimit: [-1, 1.5, Number.NaN],
  admin: ['yes'],
  schema: [5],
  now: [5],
  onRequest: [5],
};
const badOrders: readonly unknown[] = ['ord_1', {}, [5], [{ data: 5 }], 0, 1.5, [], ['..'], ['a', 'a']];

test.each<[unknown, string]>([
  ...Object.entries(badValues).flatMap(([name, values]) =>
    values.map((value): [unknown, string] => [{ [name]: value }, `startMockOrderService: ${name}: `]),
  ),
  ...['abc', 5].map((keys): [unknown, string] => [{ keys }, 'keys: give a list of keys']),
  [{ keys: [null] }, 'keys[0] is empty.'],
  ...[5, null, '', {}, [], 'a\nb'].flatMap((type): [unknown, string][] => [
    [{ keys: { a: type } }, 'keys[0] has a type that is not '],
    [{ keys: ['a', { key: 'b', type }] }, 'keys[1] has a type that is not '],
  ]),
  ...[null, { data: [] }, { data: new Map() }, { data: new Date() }, { data: null }, { data: 'x' }].map(
    (order): [unknown, string] => [{ orders: ['a', order] }, 'orders: '],
  ),
  [{ faults: {} }, 'faults: give a list of rules.'],
  ...badOrders.map((orders): [unknown, string] => [{ orders }, 'orders: ']),
  [{ faults: [{ when: 'next', fault: 'slwo' }] }, 'faults[0]: There is no scenario "slwo". Known: slow, '],
  [{ ordres: 1 }, 'startMockOrderService: unknown option "ordres". Did you mean "orders"?'],
  [{ keys: [{ key: 'a', typ: 'b' }] }, 'keys[0]: unknown option "typ". Did you mean "type"?'],
  [{ orders: [{ token: 'a', dat: {} }] }, 'orders: unknown option "dat". Did you mean "data"?'],
  [{ responses: { error: {} } }, 'responses: unknown option "error". Did you mean "errorBody"?'],
  [{ responses: { statuses: { order: 202 } } }, 'responses.statuses: unknown option "order". Known: '],
  [{ webhooks: { timeout: 3 } }, 'webhooks: unknown option "timeout". Did you mean "timeoutMs"?'],
])('rejects the options %j', async (options, message) => {
  const started = startMockOrderService(options as MockOrderServiceOptions);
  // A service that does start must not outlive the test.
  started.then((service) => service.close()).catch(() => {});
  const error = await started.catch((reason) => reason);
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message.slice(0, message.length)).toBe(message);
});

test('has three orders by default, with random tokens, or as many as given', async () => {
  await using service = await startMockOrderService();
  await using more = await startMockOrderService({ orders: 20 });
  expect(service.token).toBe(service.orders[0]?.token);
  const tokens = [...service.orders, ...more.orders].map(({ token }) => token);
  expect(new Set(tokens).size).toBe(23);
  for (const token of tokens) expect(token).toMatch(/^ord_[0-9a-f]{24}$/);
});

test('has the given orders, and leaves their data alone', async () => {
  const data = { order_id: 'x', cart: { items: [] } };
  await using service = await startMockOrderService({ orders: ['b', { token: 'a', data }] });
  expect(service.orders).toEqual([
    { token: 'b', data: {}, revision: 0 },
    { token: 'a', data, revision: 0 },
  ]);
  expect(service.token).toBe('b');
  const { json } = await send(service, { path: orderPath('a'), body: { cart: { items: [{ sku: 'one' }] } } });
  expect(json).toEqual({
    token: 'a',
    revision: 1,
    order: { order_id: 'x', cart: { items: [{ sku: 'one' }] } },
  });
  expect([Object.isFrozen(data), Object.isFrozen(data.cart.items), data.cart.items]).toEqual([
    false,
    false,
    [],
  ]);
});

test('addOrder() adds an order that can be updated at once', async () => {
  await using service = await startMockOrderService({ orders: ['a'] });
  expect(service.addOrder()).toMatch(/^ord_[0-9a-f]{24}$/);
  expect(service.addOrder('b')).toBe('b');
  expect(service.addOrder({ token: 'c', data: { order_id: 'x' } })).toBe('c');
  expect((await send(service, { path: orderPath('c') })).status).toBe(200);
  expect(service.order('c')).toEqual({ token: 'c', data: { order_id: 'x', cart: {} }, revision: 1 });
  expect(service.orders.map(({ token }) => token)).toEqual(['a', expect.any(String), 'b', 'c']);
  expect(service.order('d')).toBeUndefined();
  expect(() => service.addOrder('b')).toThrow(new TypeError('orders: "b" is given twice.'));
  expect(() => service.addOrder('..')).toThrow(TypeError);
  expect(() => service.addOrder({ token: 'd', dta: {} } as never)).toThrow('unknown option "dta"');
});

test('orders and ledger cannot be changed from outside', async () => {
  await using service = await startMockOrderService({ orders: ['a'] });
  await send(service, { body: { cart: { items: [{ sku: 'one' }] } } });
  const [entry] = service.ledger;
  expect(() => Object.assign(entry ?? {}, { token: 'other' })).toThrow(TypeError);
  expect(() => entry?.body.cart.items?.pop()).toThrow(TypeError);
  expect(() => service.order('a')?.data.cart?.items?.pop()).toThrow(TypeError);
  expect(() => service.orders[0]?.data.cart?.items?.pop()).toThrow(TypeError);
  expect(service.order('a')?.data).toEqual({ cart: { items: [{ sku: 'one' }] } });
});

test('the ledger has each applied update once, by the clock and the request ids of the service', async () => {
  let time = 1000;
  await using service = await startMockOrderService({ orders: ['a'], now: () => time++ });
  const responses = [
    await send(service, { body: { cart: {}, order_id: 'x' } }),
    await send(service, { key: 'unknown' }),
    await send(service, { body: { cart: {}, order_id: 'y' } }),
  ];
  const ids = ['req_1', 'req_2', 'req_3'];
  expect(responses.map(({ headers }) => headers['x-request-id'])).toEqual(ids);
  expect(service.journal.map(({ requestId }) => requestId)).toEqual(ids);
  expect(service.ledger).toEqual([
    { requestId: 'req_1', token: 'a', body: { cart: {}, order_id: 'x' }, at: 1001, revision: 1 },
    { requestId: 'req_3', token: 'a', body: { cart: {}, order_id: 'y' }, at: 1006, revision: 2 },
  ]);
});

test('the journal keeps a request as it was sent', async () => {
  await using service = await startMockOrderService({ orders: ['a b'], now: () => 7 });
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
      respondedAt: 7,
    },
  ]);
});

test('the journal names headers in lower case, __proto__ included', async () => {
  await using service = await startMockOrderService();
  const names =
    'HOST: x\r\nX-Trace: 1\r\nx-TRACE: 2\r\n__proto__: 3\r\nAUTHORIZATION: 4\r\nConnection: close';
  await exchange(service, `GET ${ECHO_PATH} HTTP/1.1\r\n${names}\r\n\r\n`);
  expect(Object.entries(service.journal[0]?.headers ?? {})).toEqual([
    ['host', 'x'],
    ['x-trace', '1, 2'],
    ['__proto__', '3'],
    ['authorization', '[redacted]'],
    ['connection', 'close'],
  ]);
});

test('neither the journal nor the inspected service has a key', async () => {
  await using service = await startMockOrderService({ keys: ['sekret'] });
  const pairs = [basic('sekret:'), basic('sekret'), 'sekret', 'Bearer sekret', 'Basic sekret'];
  for (const authorization of pairs) await send(service, { headers: { authorization } });
  expect(service.journal.map(({ headers }) => headers['authorization'])).toEqual(Array(5).fill('[redacted]'));
  const seen = inspect(service.journal, { depth: 9 });
  expect(seen).not.toContain('sekret');
  expect(seen).not.toContain(basic('sekret').slice('Basic '.length, -4));
  expect(inspect(service, { depth: 9 })).not.toContain('sekret');
});

test('a request that was cut off stays in the journal, and applies nothing', async () => {
  await using service = await startMockOrderService();
  const socket = await openSocket(service);
  socket.end(rawUpdate(service).slice(0, -1));
  await service.waitForRequests(1);
  expect(service.journal).toMatchObject([{ complete: false, status: 400, body: Buffer.from('{"cart":{}') }]);
  expect(service.ledger).toEqual([]);
});

test('requests() filters the journal, and rejects an unknown filter', async () => {
  await using service = await startMockOrderService({ orders: ['a', 'b/c'] });
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
  // An unknown filter would match everything.
  expect(() => ids({ statuss: 404 } as object)).toThrow('unknown option "statuss". Did you mean "status"?');
});

test.each<[unknown, string]>([
  [{ status: '200' }, 'requests: status: '],
  [{ status: 20 }, 'requests: status: '],
  [{ operation: 'updat' }, 'requests: operation: '],
  [{ method: 'Post' }, 'requests: method: write "POST".'],
  [{ method: 'FETCH' }, 'requests: method: no request has it.'],
  [{ token: 5 }, 'requests: token: '],
  [{ token: '' }, 'requests: token: '],
  [null, 'requests: '],
  [[], 'requests: '],
])('requests() rejects the filter %j, which no request matches', async (filter, message) => {
  await using service = await startMockOrderService();
  const read = () => service.requests(filter as object);
  expect(read).toThrow(TypeError);
  expect(read).toThrow(message);
});

test('a request that began before reset() changes nothing after it', async () => {
  await using service = await startMockOrderService();
  const text = rawUpdate(service);
  const socket = await openSocket(service, text.slice(0, -1));
  await expect.poll(() => service.journal.length).toBe(1);
  service.reset();
  const ending = readToEnd(socket);
  socket.write(text.slice(-1));
  expect(await ending).toMatchObject({ text: '' });
  await send(service);
  await service.waitForRequests(1);
  expect([service.ledger.length, service.journal.length]).toEqual([1, 1]);
});

test('waitForRequests() resolves when as many requests have arrived', async () => {
  await using service = await startMockOrderService();
  let isOver = false;
  const both = service.waitForRequests(2).then(() => {
    isOver = true;
  });
  await send(service);
  await service.waitForRequests(1);
  expect(isOver).toBe(false);
  await Promise.all([send(service), both]);
});

test.each([undefined, null, Number.NaN, Number.POSITIVE_INFINITY, 1.5, -1, '2', {}, 2n])(
  'waitForRequests(%s) rejects: it would wait forever, or not at all',
  async (count) => {
    await using service = await startMockOrderService();
    // Rejected before the service closes: the message is not that of close().
    const waits = expect(service.waitForRequests(count as number)).rejects;
    const rejected = waits.toThrow(/^waitForRequests: write a whole number/);
    await service.close();
    await rejected;
  },
);

test('waitForRequests() rejects when the service closes', async () => {
  const service = await startMockOrderService();
  const message = 'The service closed after 0 of 1 requests.';
  const waits = expect(service.waitForRequests(1)).rejects.toThrow(message);
  await service.close();
  await waits;
  await expect(service.waitForRequests(1)).rejects.toThrow(message);
});

test('historyLimit keeps the newest entries, and counts all', async () => {
  await using service = await startMockOrderService({ historyLimit: 3 });
  service.faults.always({ type: 'status', status: 202 });
  for (let sent = 1; sent <= 5; sent += 1) {
    await send(service);
    expect(service.ledger.every((entry) => Object.isFrozen(entry.body))).toBe(true);
  }
  await service.waitForRequests(5);
  expect(service.ledger.map(({ revision }) => revision)).toEqual([3, 4, 5]);
  for (const entries of [service.journal, service.faults.played])
    expect(entries.map(({ requestId }) => requestId)).toEqual(['req_3', 'req_4', 'req_5']);
  expect(service.order(service.token)?.revision).toBe(5);
  await using none = await startMockOrderService({ historyLimit: 0 });
  expect((await send(none)).status).toBe(200);
  expect([none.ledger, none.journal]).toEqual([[], []]);
});

test('reset() restores the start', async () => {
  await using service = await startMockOrderService({
    orders: [{ token: 'a', data: { order_id: 'x' } }],
    faults: [{ when: 'next', fault: 'unavailable' }],
  });
  const { ledger, journal, faults } = service;
  const run = async () => {
    const statuses = [(await send(service)).status, (await send(service)).status];
    return { statuses, order: service.order('a'), played: faults.played.length };
  };
  const first = await run();
  service.addOrder('b');
  faults.always({ type: 'status', status: 500 });
  await service.webhooks.send('start_qr_session', { url: `${service.url}/hook` });
  expect(service.webhooks.sent).toHaveLength(1);
  service.reset();
  expect(service.orders).toEqual([{ token: 'a', data: { order_id: 'x' }, revision: 0 }]);
  expect([ledger, journal, faults.played, service.webhooks.sent]).toEqual([[], [], [], []]);
  expect(await run()).toEqual(first);
  expect(first.statuses).toEqual([503, 200]);
  service.reset();
  const waits = expect(service.waitForRequests(1)).rejects.toThrow('after 0 of 1');
  await service.close();
  await waits;
});

test('onRequest is called once for each request, before its response or without one', async () => {
  const seen: unknown[] = [];
  await using service = await startMockOrderService({
    onRequest: ({ requestId, status, complete }) => seen.push([requestId, status, complete]),
  });
  const types = ['reset_before_body', 'reset_before_applying', 'stalled_headers', 'garbage'] as const;
  service.faults.next([...types.map((type) => ({ type })), { type: 'none' }, { type: 'no_content' }]);
  for (const [index] of types.entries()) {
    await openSocket(service, rawUpdate(service));
    await service.waitForRequests(index + 1);
  }
  await send(service);
  expect(seen).toHaveLength(5);
  await send(service);
  expect(seen).toHaveLength(6);
  const half = await openSocket(service);
  half.end(rawUpdate(service).slice(0, -1));
  await service.waitForRequests(7);
  expect(seen).toEqual([
    ['req_1', undefined, false],
    ['req_2', undefined, true],
    ['req_3', undefined, true],
    ['req_4', undefined, true],
    ['req_5', 200, true],
    ['req_6', 204, true],
    ['req_7', 400, false],
  ]);
  service.faults.next({ type: 'latency', ms: 60_000 });
  const waiting = send(service).catch(() => 'reset');
  await service.waitForRequests(8);
  await service.close();
  expect(await waiting).toBe('reset');
  expect(seen.slice(7)).toEqual([['req_8', undefined, true]]);
});
