import { once } from 'node:events';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { startServer } from '../test/conformance/servers.ts';
import { openSocket } from '../test/open-socket.ts';
import { exchange } from '../test/raw-update.ts';
import { basic, send } from '../test/send.ts';
import { startReceiver } from '../test/webhook-receiver.ts';
import { type AdminAccess, createAdminHandler } from './admin.ts';
import {
  type MockOrderService,
  type MockOrderServiceOptions,
  startMockOrderService,
} from './mock/mock-order-service.ts';

const start = (options: MockOrderServiceOptions = {}) =>
  startMockOrderService({ admin: true, orders: ['ord_1', 'ord_2'], now: () => 7, ...options });

type Target = Pick<MockOrderService, 'url' | 'key'>;

interface Sent {
  readonly body?: object | string | undefined;
  /** A header that is null is left out. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** Sends `GET /__admin/faults` and the like, with the key of the service and, with POST, as JSON. */
async function call(target: Target, line: string, { body = '', headers }: Sent = {}) {
  const [method = '', path = ''] = line.split(' ');
  const type = method === 'POST' ? {} : { 'content-type': null };
  const sent = { method, path, body, headers: { ...type, ...headers } };
  const { status, headers: received, text } = await send({ ...target, token: '' }, sent);
  return { status, headers: received, text, json: text === '' ? undefined : JSON.parse(text) };
}

const refusal = (status: number, code: string, message: unknown = expect.any(String)) => ({
  status,
  json: { error: { code, message } },
});

const routes = [
  'GET /__admin',
  'GET /__admin/faults',
  'POST /__admin/faults',
  'DELETE /__admin/faults',
  'GET /__admin/orders',
  'POST /__admin/orders',
  'GET /__admin/orders/:token',
  'GET /__admin/requests',
  'GET /__admin/ledger',
  'GET /__admin/webhooks',
  'POST /__admin/webhooks',
  'POST /__admin/webhooks/:id/replay',
  'POST /__admin/reset',
];

const update = (service: MockOrderService, token: string, body: string | Buffer = '{"cart":{}}') =>
  call(service, `PATCH /v2/orders/${token}`, { body, headers: { 'content-type': 'application/json' } });

test('is off by default', async () => {
  await using service = await startMockOrderService();
  expect(await call(service, 'GET /__admin')).toMatchObject({ status: 404 });
});

test('lists its routes', async () => {
  await using service = await start();
  for (const line of ['GET /__admin', 'GET /__admin/']) {
    const { status, json } = await call(service, line);
    expect([status, json.routes.toSorted()]).toEqual([200, routes.toSorted()]);
  }
  const head = `GET ${service.url}/__admin HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`;
  expect((await exchange(service, head)).text).toMatch(/^HTTP\/1\.1 401 /);
});

test('responds to HEAD without a body, to an unknown path with 404, to another method with 405 and Allow', async () => {
  await using service = await start();
  expect(await call(service, 'HEAD /__admin/faults')).toMatchObject({ status: 200, text: '' });
  for (const path of ['/fault', '/orders/a/b', '/webhooks//replay', '/__admin'])
    expect(await call(service, `POST /__admin${path}`)).toMatchObject(refusal(404, 'route_not_found'));
  for (const [line, allow] of [
    ['PUT /__admin/faults', 'GET, HEAD, POST, DELETE'],
    ['OPTIONS /__admin', 'GET, HEAD'],
    ['POST /__admin/ledger', 'GET, HEAD'],
    ['GET /__admin/webhooks/evt_1/replay', 'POST'],
  ] as const) {
    const response = await call(service, line);
    expect(response).toMatchObject(refusal(405, 'method_not_allowed', `This route takes ${allow}.`));
    expect(response.headers['allow']).toBe(allow);
  }
  expect(await call(service, 'HEAD /__admin/reset')).toMatchObject({ status: 405, text: '' });
});

test('every route needs a key of the service, of any type', async () => {
  await using service = await start({ keys: ['one', { key: 'two', type: 'ReportApiKey' }] });
  expect(await call({ ...service, key: 'two' }, 'GET /__admin')).toMatchObject({ status: 200 });
  service.faults.next('slow');
  for (const route of [...routes, 'GET /__admin/nowhere', 'OPTIONS /__admin/faults']) {
    for (const authorization of [null, basic('three:'), basic(':'), 'Bearer one', 'Basic b25l']) {
      const response = await call(service, route, { headers: { authorization } });
      expect(response).toMatchObject(refusal(401, 'key_unknown', expect.stringMatching(/HTTP Basic/)));
      expect(response.headers['www-authenticate']).toMatch(/^Basic /);
    }
  }
  expect(service.faults.waiting).toHaveLength(1);
});

test.each([
  ['another site', 'http://evil.example'],
  ['another port', 'http://127.0.0.1:1'],
  ['a name that starts alike', 'http://127.0.0.1.evil.example'],
  ['no site', 'null'],
  ['two', 'http://127.0.0.1, http://127.0.0.1'],
  ['an empty one', ''],
])('refuses every request with the Origin of %s (%s), and allows no CORS', async (_what, origin) => {
  await using service = await start();
  service.faults.next('slow');
  for (const line of [...routes, 'OPTIONS /__admin/faults']) {
    const body = line === 'POST /__admin/faults' ? { when: 'next', fault: 'slow' } : {};
    const headers = { origin, 'access-control-request-method': 'POST' };
    const response = await call(service, line, { headers, body });
    expect(response).toMatchObject(refusal(403, 'origin_refused', expect.stringMatching(/^Call /)));
    expect(Object.keys(response.headers).join()).not.toMatch(/access-control/);
  }
  expect(service.faults.waiting).toHaveLength(1);
});

test('sends no CORS headers, and lets nothing be cached or sniffed', async () => {
  await using service = await start();
  const { host } = new URL(service.url);
  const { status, headers } = await call(service, 'GET /__admin', { headers: { origin: `http://${host}` } });
  expect([status, headers['cache-control'], headers['x-content-type-options']]).toEqual([
    200,
    'no-store',
    'nosniff',
  ]);
  expect(Object.keys(headers).join()).not.toMatch(/access-control/);
});

/** The admin API as a service has it that does or does not listen on loopback only. */
async function serveAdmin(isLoopback: boolean) {
  const service = await start();
  const none = { entries: [], dropped: 0 };
  const access: AdminAccess = {
    acceptsKey: (value) => value === basic(`${service.key}:`),
    isLoopback,
    histories: { ledger: none, requests: none, played: none, webhooks: none },
  };
  const server = await startServer(createAdminHandler(service, access));
  return {
    url: server.url,
    key: service.key,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await service.close();
    },
  };
}

test('a service on loopback refuses the Host of another site (DNS rebinding)', async () => {
  await using admin = await serveAdmin(true);
  const { port } = new URL(admin.url);
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    'null',
    '10.0.0.1',
  ]) {
    const headers = { host, origin: `http://${host}` };
    expect(await call(admin, 'GET /__admin/orders', { headers })).toMatchObject(refusal(403, 'host_refused'));
    expect(await call(admin, 'POST /__admin/reset', { headers: { host } })).toMatchObject({ status: 403 });
  }
  for (const host of [`127.0.0.1:${port}`, '127.0.0.2', `LOCALHOST:${port}`, 'localhost', '[::1]:80'])
    expect(await call(admin, 'GET /__admin', { headers: { host } })).toMatchObject({ status: 200 });
});

test('a service on other addresses takes any Host, and still no other Origin', async () => {
  await using admin = await serveAdmin(false);
  const headers = { host: 'staging.example' };
  expect(await call(admin, 'GET /__admin', { headers })).toMatchObject({ status: 200 });
  for (const origin of ['https://evil.example', 'null'])
    expect(await call(admin, 'GET /__admin', { headers: { host: 'null', origin } })).toMatchObject({
      status: 403,
    });
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain; application/json',
  'application/json; charset=latin1',
  null,
])('refuses a POST of type %s', async (type) => {
  await using service = await start();
  for (const route of routes.filter((line) => line.startsWith('POST'))) {
    const sent = { headers: { 'content-type': type }, body: { when: 'next', fault: 'slow' } };
    expect(await call(service, route, sent)).toMatchObject(refusal(415, 'media_type_unsupported'));
  }
  expect(service.faults.waiting).toEqual([]);
});

test.each(['{', '{"when":"next"}}', Buffer.from([0x22, 0xff, 0x22]), '\ufeff{}'])(
  'refuses a body that is not JSON in UTF-8: %j',
  async (body) => {
    await using service = await start();
    const response = await call(service, 'POST /__admin/faults', { body });
    expect(response).toMatchObject(refusal(400, 'body_not_json', 'Send JSON in UTF-8.'));
  },
);

test('takes a body of 1 MiB, chunked or not, and responds to a larger one with 413', async () => {
  await using service = await start();
  const order = (token: string) => `{"token":"${token}"}`.padEnd(1_048_576);
  // A stream has no length, so it leaves in chunks.
  for (const body of [order('ord_3'), Readable.from([order('ord_4')])])
    expect(await call(service, 'POST /__admin/orders', { body })).toMatchObject({ status: 201 });

  const head = `POST /__admin/orders HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${basic(`${service.key}:`)}\r\n`;
  const tooLarge = `${order('ord_5')} `;
  // The first two are refused before any of the body arrives.
  for (const rest of [
    'content-length: 1048577\r\n\r\n',
    'content-length: 20000000\r\n\r\n',
    `transfer-encoding: chunked\r\n\r\n${tooLarge.length.toString(16)}\r\n${tooLarge}\r\n0\r\n\r\n`,
  ]) {
    const { text } = await exchange(service, `${head}connection: close\r\n${rest}`);
    expect(text).toMatch(/^HTTP\/1\.1 413 [\s\S]*"body_too_large"[\s\S]*Send at most 1048576 bytes\./);
  }
  expect(service.order('ord_5')).toBeUndefined();
});

test('is in no journal and meets no fault', async () => {
  await using service = await start();
  service.faults.always('lostResponse');
  service.faults.next({ type: 'status', status: 503 });
  const { json } = await call(service, 'GET /__admin/faults');
  expect(json).toEqual({ waiting: [{ type: 'status', status: 503 }], waitingCount: 1, entries: [], next: 0 });
  expect(service.journal).toEqual([]);
});

test('adds one rule or an array of rules, and lists the faults to come and those that were met', async () => {
  await using service = await start();
  const unavailable = { type: 'status', status: 503 };
  const rule = { when: 'next', fault: ['unavailable', { type: 'empty' }], token: 'ord_1' };
  expect(await call(service, 'POST /__admin/faults', { body: rule })).toMatchObject({
    status: 200,
    json: { added: 1 },
  });
  const more = [
    { when: 'sometimes', fault: 'unavailable', probability: 0, seed: 1 },
    { when: 'next', fault: 'unavailable', method: 'GET', times: 1_000 },
  ];
  expect((await call(service, 'POST /__admin/faults', { body: more })).json).toEqual({ added: 2 });
  expect(await update(service, 'ord_1')).toMatchObject({ status: 503 });
  expect(await update(service, 'ord_2')).toMatchObject({ status: 200 });
  const { json } = await call(service, 'GET /__admin/faults');
  expect(json).toEqual({
    waiting: service.faults.waiting.slice(0, 1_000),
    waitingCount: 1_001,
    entries: [{ fault: unavailable, requestId: 'req_1' }],
    next: 1,
  });
  expect(json.waiting[0]).toEqual({ type: 'empty' });
  expect((await call(service, 'DELETE /__admin/faults')).status).toBe(204);
  expect(service.faults.waiting).toEqual([]);
});

const busy = { when: 'next', fault: 'unavailable' };

test.each([
  [[busy, { ...busy, times: 0 }], /^rules\[1\]: next: times: /],
  [[busy, { when: 'next', fault: { type: 'staus' } }], /^rules\[1\]: A fault is /],
  [[busy, { ...busy, tims: 2 }], /unknown option "tims"\. Did you mean "times"\?/],
  ['5', /^A rule is an object whose "when" is/],
  [undefined, /^A rule is an object/],
  [[], /^These are 0 faults: give 1 to 50000/],
  [{ when: 'next', fault: Array(6).fill('slow'), times: 10_000 }, /^These are 60000 faults/],
  [Array(6).fill({ ...busy, times: 10_000 }), /^These are 60000 faults/],
])('adds none of the rules %j, and says what to send', async (body, message) => {
  await using service = await start();
  const response = await call(service, 'POST /__admin/faults', { body });
  expect(response).toMatchObject(refusal(422, 'request_refused', expect.stringMatching(message)));
  expect(service.faults.waiting).toEqual([]);
});

test('adds orders whose token is new, and shows one or all', async () => {
  await using service = await start();
  const added = { token: 'a b%é', data: { order_id: '7', own: { deep: [1, null] } }, revision: 0 };
  const { token, data } = added;
  expect(await call(service, 'POST /__admin/orders', { body: { token, data } })).toMatchObject({
    status: 201,
    json: added,
  });
  const random = await call(service, 'POST /__admin/orders', { body: {} });
  expect(random).toMatchObject({ status: 201, json: { data: {}, revision: 0 } });
  expect(await update(service, random.json.token)).toMatchObject({ status: 200 });
  const path = `/__admin/orders/${encodeURIComponent(token)}`;
  expect(await call(service, `GET ${path}`)).toMatchObject({ status: 200, json: added });
  expect((await call(service, 'GET /__admin/orders')).json).toEqual({ entries: service.orders, next: 4 });
  expect(service.orders[3]).toMatchObject({ token: random.json.token, revision: 1 });
  expect(await call(service, 'POST /__admin/orders', { body: { token, data: {} } })).toMatchObject(
    refusal(409, 'order_exists', expect.stringMatching(/give another/)),
  );
  expect(service.order(token)).toEqual(added);
  expect(await call(service, 'GET /__admin/orders/none')).toMatchObject(
    refusal(404, 'order_not_found', 'GET /__admin/orders lists the orders.'),
  );
});

test('takes a POST without a body and without a type, and makes the token of an order', async () => {
  await using service = await start();
  const headers = { 'content-type': null };
  const { status, json } = await call(service, 'POST /__admin/orders', { headers });
  expect([status, json]).toEqual([201, { token: expect.stringMatching(/^ord_/), data: {}, revision: 0 }]);
  await update(service, 'ord_1');
  expect(await call(service, 'POST /__admin/reset', { headers })).toMatchObject({ status: 204 });
  expect([service.orders.length, service.journal]).toEqual([2, []]);
});

test('responds before the service stops listening', async () => {
  await using service = await start();
  const body = [
    { when: 'always', fault: 'slow' },
    { when: 'next', fault: { type: 'connection_refused', downMs: 600_000 } },
  ];
  expect(await call(service, 'POST /__admin/faults', { body })).toMatchObject({
    status: 200,
    json: { added: 2 },
  });
  expect(service.faults.played).toHaveLength(1);
  await expect(openSocket(service)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  service.faults.next({ type: 'connection_refused', downMs: 1 });
  await expect
    .poll(async () => (await call(service, 'GET /__admin').catch(() => undefined))?.status)
    .toBe(200);
});

test('a reader of pages misses nothing where old entries are dropped in between', async () => {
  await using service = await start({ historyLimit: 5 });
  const seen: string[] = [];
  let next = 0;
  for (let sent = 0; sent < 20; sent += 1) {
    await update(service, 'ord_1');
    const { json } = await call(service, `GET /__admin/requests?after=${next}`);
    seen.push(...json.entries.map(({ requestId }: { requestId: string }) => requestId));
    next = json.next;
  }
  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => `req_${index + 1}`));
  const late = await call(service, 'GET /__admin/requests?after=3');
  expect([late.json.entries.length, late.json.next]).toEqual([5, 20]);
  service.reset();
  const { json } = await call(service, `GET /__admin/requests?after=${next}`);
  expect(json.error.message).toMatch(/after a reset, start at 0/);
});

test('a request that is cut off does nothing', async () => {
  await using service = await start();
  const body = '{"when":"next","fault":"slow"}';
  const head = `POST /__admin/faults HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${basic(`${service.key}:`)}\r\n`;
  const text = `${head}content-type: application/json\r\ncontent-length: 500\r\n\r\n${body}`;
  const socket = await openSocket(service, text);
  socket.end();
  await once(socket.resume(), 'close');
  expect(await call(service, 'GET /__admin/faults')).toMatchObject({ json: { waiting: [] } });
});

test.each([
  { when: 'always', fault: 'down' },
  { when: 'always', fault: { type: 'reset_on_accept' } },
  { when: 'sometimes', probability: 1, fault: { type: 'reset_on_accept' } },
])('refuses %j, which nothing could end over HTTP', async (body) => {
  await using service = await start();
  const response = await call(service, 'POST /__admin/faults', { body });
  expect(response).toMatchObject(
    refusal(422, 'request_refused', expect.stringMatching(/would stop this API, too; use next/)),
  );
  expect(await call(service, 'GET /__admin')).toMatchObject({ status: 200 });
});

const nested = (depth: number) => `{"token":"ord_3","data":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;

test.each([
  [{ token: '..' }, /"\.\." is not a token/],
  [{ token: 5 }, /^order: token: /],
  [{ token: 'ord_3', data: [] }, /^order: data: /],
  [{ token: 'ord_3', orderId: '5' }, /^order: unknown option "orderId"\. Known: token, data\./],
  [[], /^order: /],
  [nested(3_000), /^order: data: a: 0: /],
  [nested(inFull ? 400_000 : 50_000), /^order: data: a: 0: /],
])('refuses the order %.50j, and says what to send', async (body, message) => {
  await using service = await start();
  const response = await call(service, 'POST /__admin/orders', { body });
  expect(response).toMatchObject(refusal(422, 'request_refused', expect.stringMatching(message)));
  expect((await call(service, 'GET /__admin/orders')).json.next).toBe(2);
});

test('lists the requests by token, status, operation and method, without keys', async () => {
  await using service = await start();
  await update(service, 'ord_1', '{"cart":{},"name":"é"}');
  await update(service, 'ord_2', Buffer.from([0xff, 0x00]));
  await call(service, 'GET /v2/echo_with_private_key');
  const list = async (query: string) => (await call(service, `GET /__admin/requests${query}`)).json.entries;
  const [first, second, third] = JSON.parse(JSON.stringify(service.journal));
  const { body: _, ...rest } = second;
  const shown = [
    { ...first, body: '{"cart":{},"name":"é"}' },
    { ...rest, bodyBase64: '/wA=' },
    { ...third, body: '' },
  ];
  expect(await list('')).toEqual(shown);
  expect(await list('?token=ord_1')).toEqual([shown[0]]);
  expect(await list('?status=200&method=PATCH')).toEqual([shown[0]]);
  expect(await list('?operation=echo')).toEqual([shown[2]]);
  expect(await list('?token=ord_2&status=200')).toEqual([]);
  const { text: all } = await call(service, 'GET /__admin/requests');
  for (const secret of [service.key, basic(`${service.key}:`).slice(6)]) expect(all).not.toContain(secret);
});

test('lists the ledger by token', async () => {
  await using service = await start();
  for (const token of ['ord_1', 'ord_2', 'ord_1']) await update(service, token);
  const list = async (query: string) => (await call(service, `GET /__admin/ledger${query}`)).json;
  expect(await list('')).toEqual({ entries: service.ledger, next: 3 });
  expect(await list('?token=ord_1')).toEqual({ entries: [service.ledger[0], service.ledger[2]], next: 3 });
  expect(await list('?token=ord_1&limit=1')).toEqual({ entries: [service.ledger[0]], next: 2 });
  expect(await list('?token=ord_1&limit=1&after=2')).toEqual({ entries: [service.ledger[2]], next: 3 });
  expect(await list('?after=3')).toEqual({ entries: [], next: 3 });
});

test('a reader of pages sees each of many entries once', async () => {
  await using service = await start({ orders: 2_345 });
  const seen: unknown[] = [];
  const sizes: number[] = [];
  for (let next = 0; sizes.at(-1) !== 0; ) {
    const { json } = await call(service, `GET /__admin/orders?after=${next}`);
    seen.push(...json.entries);
    sizes.push(json.entries.length);
    next = json.next;
  }
  expect(seen).toEqual(service.orders);
  expect(sizes).toEqual([1_000, 1_000, 345, 0]);
});

test('a page ends at 16 MiB, but has at least one entry', async () => {
  const large = (length: number) => ({ token: `ord_${length}`, data: { order_id: 'x'.repeat(length) } });
  // In full, a page also ends before an entry that would take it over 16 MiB.
  const orders = [large(1), ...(inFull ? [large(9_000_000), large(9_000_001)] : []), large(16_800_000)];
  await using service = await start({ orders });
  const sizes = [];
  for (let next = 0; next < orders.length; ) {
    const { json } = await call(service, `GET /__admin/orders?after=${next}`);
    sizes.push(json.entries.length);
    next = json.next;
  }
  expect(sizes).toEqual(inFull ? [2, 1, 1] : [1, 1]);
});

test.each([
  ['?after=3', /^query: after: /],
  ['?after=-1', /^query: after: /],
  ['?after=x', /^query: after: /],
  ['?limit=0', /^query: limit: /],
  ['?limit=1001', /^query: limit: /],
  ['?limit=1.5', /^query: limit: /],
  ['?tokn=ord_1', 'query: unknown option "tokn". Did you mean "token"?'],
])('refuses the query %s', async (query, message) => {
  await using service = await start();
  const response = await call(service, `GET /__admin/ledger${query}`);
  expect(response).toMatchObject(refusal(422, 'request_refused', expect.stringMatching(message)));
});

test.each([
  ['?operation=updat', /^query: operation: /],
  ['?method=patch', 'query: method: write "PATCH".'],
  ['?status=2xx', /^query: status: /],
  ['?status=', /^query: status: /],
  ['?token=', /^query: token: /],
  ['?token=ord_1&token=ord_2', 'query: "token" is given twice.'],
  ['?status=200&status=404', 'query: "status" is given twice.'],
])('refuses the filter %s of the requests, which none matches', async (query, message) => {
  await using service = await start();
  const response = await call(service, `GET /__admin/requests${query}`);
  expect(response).toMatchObject(refusal(422, 'request_refused', expect.stringMatching(message)));
});

test('sends webhooks to the URL that an update has set, and replays them', async () => {
  await using receiver = await startReceiver([200, 500]);
  await using service = await start({ webhooks: { sign: () => ({ 'x-signature': 'hidden' }) } });
  await update(service, 'ord_1', JSON.stringify({ cart: {}, hooks: { webhook_url: receiver.url } }));
  const body = { event: 'start_qr_session', sessionId: 'qr_1', fields: { amount: 5 }, id: 'a/b%' };
  const first = await call(service, 'POST /__admin/webhooks', { body });
  const replay = `POST /__admin/webhooks/${encodeURIComponent('a/b%')}/replay`;
  const second = await call(service, replay);
  expect(JSON.parse(String(receiver.calls[0]?.body))).toEqual({
    id: 'a/b%',
    event: 'start_qr_session',
    order_token: 'ord_1',
    session_id: 'qr_1',
    amount: 5,
  });
  expect(receiver.calls.map(({ headers }) => headers['x-signature'])).toEqual(['hidden', 'hidden']);
  expect(new Set(receiver.calls.map((received) => String(received.body))).size).toBe(1);
  expect([first.status, second.status]).toEqual([200, 200]);
  expect([first.json, second.json]).toEqual(service.webhooks.sent);
  expect(service.webhooks.sent.map(({ delivered }) => delivered)).toEqual([true, false]);
  const list = await call(service, 'GET /__admin/webhooks?after=1');
  expect(list.json).toEqual({ entries: [second.json], next: 2 });
  expect(first.text + list.text).not.toContain('hidden');
});

test.each([
  [{ event: 'paid' }, /no absolute http or https URL/],
  [{ event: 'paid', url: 'http://203.0.113.1/' }, /not a loopback address/],
  [{}, /^webhook: event: /],
  ['null', /^webhook: /],
])('refuses to send the webhook %j, and says what to send', async (body, message) => {
  await using service = await start();
  const response = await call(service, 'POST /__admin/webhooks', { body });
  expect(response).toMatchObject(refusal(422, 'request_refused', expect.stringMatching(message)));
  expect(service.webhooks.sent).toEqual([]);
});

test('replays nothing of an id that was not sent', async () => {
  await using service = await start();
  expect(await call(service, 'POST /__admin/webhooks/evt_1/replay')).toMatchObject(
    refusal(404, 'webhook_not_found', 'GET /__admin/webhooks lists those sent.'),
  );
});

test.each([
  ['sign', 422, 'request_refused'],
  ['payload', 500, 'admin_failed'],
])('shows nothing of the error of a %s that throws', async (callback, status, code) => {
  const fail = () => {
    throw new RangeError('hidden');
  };
  await using service = await start({ webhooks: { [callback]: fail } });
  const body = { event: 'paid', url: service.url };
  const response = await call(service, 'POST /__admin/webhooks', { body });
  expect(response).toMatchObject(refusal(status, code));
  expect(response.text).not.toContain('hidden');
});

test('responds to any JSON on any route, and never with a 5xx', async () => {
  await using service = await start();
  const event = fc.record(
    {
      event: fc.oneof(fc.string(), fc.jsonValue()),
      token: fc.oneof(fc.constant('ord_1'), fc.jsonValue()),
      sessionId: fc.jsonValue(),
      fields: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
      url: fc.jsonValue(),
      data: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  const rule = fc.record(
    {
      when: fc.oneof(fc.constantFrom('next', 'always', 'sometimes'), fc.jsonValue()),
      fault: fc.oneof(
        fc.record({ type: fc.constantFrom('none', 'status'), status: fc.jsonValue() }),
        fc.jsonValue(),
      ),
      times: fc.jsonValue(),
      probability: fc.double(),
    },
    { requiredKeys: [] },
  );
  const line = fc.tuple(
    fc.oneof(
      fc.constantFrom(...routes),
      fc.stringMatching(/^POST \/__admin(\/([\w.~!$&'()*+,;=:@-]|%[\dA-F]{2})*)*$/),
    ),
    fc.constantFrom('', '?after=1', '?after=x', '?token=ord_1', '?%', '?after=%ff', '?__proto__=1'),
  );
  const body = fc.oneof(fc.jsonValue(), rule, fc.array(rule), event);
  await fc.assert(
    fc.asyncProperty(line, body, async ([route, query], json) => {
      const { status } = await call(service, route + query, { body: JSON.stringify(json) });
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: inFull ? 200 : 60 },
  );
});
