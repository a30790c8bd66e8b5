import { once } from 'node:events';
import { defineOrderUpdate } from '@orders/schema';
import { expect, expectTypeOf, test } from 'vitest';
import { openSocket } from '../../test/open-socket.ts';
import { exchange, readToEnd } from '../../test/raw-update.ts';
import { basic, codeOf, ECHO_PATH, orderPath, type Sent, send } from '../../test/send.ts';
import { buildOrderUpdate } from '../build-order-update.ts';
import { documentedExample } from '../documented-example.ts';
import { startMockOrderService } from './mock-order-service.ts';
import type { MockOrderServiceErrorBody } from './responses.ts';

const start = () =>
  startMockOrderService({
    keys: { 'key-1': 'SalesChannelApiKey', 'key-2': 'ReportApiKey' },
    orders: ['order-1', 'a/b?c#d%2f', 'a+b'],
  });

test('applies the documented example and responds with the order', async () => {
  await using service = await start();
  const response = await send(service, { body: documentedExample() });
  expect(response.status).toBe(200);
  expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': 'req_1' });
  expect(response.json).toEqual({ token: 'order-1', revision: 1, order: documentedExample() });
  expect(service.appliedUpdates('order-1')).toEqual([documentedExample()]);
});

const withHeader = (name: string) => (value: string | readonly string[] | null) => ({
  headers: { [name]: value },
});
const withType = withHeader('content-type');
const withAccept = withHeader('accept');
const withEncoding = withHeader('content-encoding');
const withKey = withHeader('authorization');
const withPath = (path: string) => ({ path });
const withBody = (body: string | Buffer) => ({ body });

test.each<Sent>([
  withEncoding('Identity'),
  // RFC 9110, 11.1: the scheme is case-insensitive, and spaces follow it.
  ...['bAsIC a2V5LTE6', 'Basic  a2V5LTE6'].map(withKey),
  ...['order-1?a=b', 'order%2D1', 'a%2Fb%3Fc%23d%252f', 'a+b'].map((token) =>
    withPath(`/v2/orders/${token}`),
  ),
  ...['application/json', 'Application/JSON', 'application/json; charset=utf-8'].map(withType),
  ...['application/json;charset=UTF-8', 'application/json ; charset="utf-8"'].map(withType),
  ...[null, '', 'application/json', '*/*', 'application/*;q=0.1, text/html'].map(withAccept),
  ...['text/html, APPLICATION/JSON; q=0.5', '*/*;q=0, application/json'].map(withAccept),
])('accepts %j', async (sent) => {
  await using service = await start();
  expect((await send(service, sent)).status).toBe(200);
  expect(service.ledger).toHaveLength(1);
});

const notUtf8 = `Basic ${Buffer.of(0xff, 0x3a).toString('base64')}`;
const base64Url = basic('abÿ?>:').replace('+', '-').replace('/', '_');
const rejections: readonly (readonly [number, string, readonly Sent[], string?])[] = [
  [401, 'key_missing', [withKey(null)]],
  [401, 'scheme_unsupported', ['', 'key-1', 'Bearer key-1'].map(withKey)],
  [401, 'key_malformed', ['Basic', notUtf8, base64Url, [basic('key-1:'), basic('key-1:')]].map(withKey)],
  [401, 'key_malformed', ['key-1:x', 'key-1', ':', 'key:1:', 'a\u0000:'].map((pair) => withKey(basic(pair)))],
  // Without padding, with a space, with unused bits that are set, and as plain text.
  [401, 'key_malformed', ['YWJjOg', 'YWJj Og==', 'YWJjOh==', 'abc:'].map((text) => withKey(`Basic ${text}`))],
  [
    401,
    'key_unknown',
    [{ key: 'another' }, { key: 'key-' }, { key: 'another', method: 'GET', path: ECHO_PATH }],
  ],
  // A 404 would let anyone guess tokens.
  [401, 'key_unknown', [{ key: 'another', path: orderPath('unknown') }]],
  [403, 'key_type_not_allowed', [{ key: 'key-2' }]],
  [404, 'order_not_found', ['unknown', 'key-1'].map((token) => withPath(orderPath(token)))],
  [404, 'path_not_found', ['/', '/v2', '/v2/orders', '/v2/orders/', '/v2/key-1'].map(withPath)],
  [404, 'path_not_found', ['/v2/orders/order-1/', '/v1/orders/order-1', '/v2/order/order-1'].map(withPath)],
  [
    400,
    'path_malformed',
    ['%', '%2', '%zz', '%ff', '%c3%28', 'a%00%80'].map((end) => withPath(`/v2/orders/${end}`)),
  ],
  [400, 'path_malformed', [withPath('/%zz')]],
  [405, 'method_not_allowed', [{ method: 'PUT' }, { method: 'POST' }, { method: 'GET' }], 'PATCH, OPTIONS'],
  [405, 'method_not_allowed', [withPath(ECHO_PATH)], 'GET, HEAD, OPTIONS'],
  [415, 'media_type_unsupported', [null, '', 'text/plain', 'text/json', 'application/jsonx'].map(withType)],
  [
    415,
    'media_type_unsupported',
    ['latin1', 'utf-16'].map((set) => withType(`application/json; charset=${set}`)),
  ],
  [
    415,
    'media_type_unsupported',
    ['merge-patch+json', 'json; a=b'].map((end) => withType(`application/${end}`)),
  ],
  [415, 'media_type_unsupported', [withType('application/json, application/json'), withEncoding('gzip')]],
  [406, 'not_acceptable', ['text/html', 'application/json;q=0', 'application/xml, text/*'].map(withAccept)],
  [406, 'not_acceptable', ['application/json; q=0.0, application/*', '*/*;q=0'].map(withAccept)],
  [406, 'not_acceptable', ['application/json;q=0, */*', 'application/*;q=0, */*'].map(withAccept)],
  [400, 'body_not_json', ['', '{"cart":', 'cart=1', '\ufeff{"cart":{}}'].map(withBody)],
  [400, 'body_not_json', [withBody(Buffer.from('{"cart":{},"a":"\xff"}', 'latin1'))]],
  [422, 'body_refused', ['null', '[]', '"cart"', '1', '{"cart":{},"__proto__":{"a":true}}'].map(withBody)],
];

test.each(
  rejections.flatMap(([status, code, all, allow]) => all.map((sent) => [status, code, sent, allow] as const)),
)('rejects with %i %s: %j', async (status, code, sent, allow) => {
  await using service = await start();
  const response = await send(service, sent);
  expect([response.status, codeOf(response)]).toEqual([status, code]);
  expect(response.headers['content-type']).toBe('application/json');
  const challenge = status === 401 ? 'Basic realm="orders", charset="UTF-8"' : undefined;
  expect([response.headers['www-authenticate'], response.headers['allow']]).toEqual([challenge, allow]);
  expect(response.text + JSON.stringify(response.headers)).not.toMatch(/key-[12]/);
  expect(service.ledger).toEqual([]);
  expect(service.order('order-1')).toEqual({ token: 'order-1', revision: 0, data: {} });
  const body = sent.method === 'GET' ? '' : (sent.body ?? '{"cart":{}}');
  expect(service.journal).toMatchObject([{ status, complete: true, body: Buffer.from(body as string) }]);
});

test('responds to the echo for a key of any type, and to HEAD without the body', async () => {
  await using service = await start();
  const echo = await send(service, { method: 'GET', path: ECHO_PATH, key: 'key-2' });
  expect([echo.status, echo.json]).toEqual([200, { authenticated: true, key_type: 'ReportApiKey' }]);
  const head = await send(service, { method: 'HEAD', path: ECHO_PATH, key: 'key-2' });
  expect([head.status, head.text]).toEqual([200, '']);
  expect(head.headers['content-length']).toBe(echo.headers['content-length']);
});

test.each([
  ['OPTIONS /v2/orders/order-1', 204, 'PATCH, OPTIONS'],
  ['OPTIONS /v2/orders/unknown', 204, 'PATCH, OPTIONS'],
  [`OPTIONS ${ECHO_PATH}`, 204, 'GET, HEAD, OPTIONS'],
  ['OPTIONS *', 204, 'OPTIONS'],
  ['GET *', 405, 'OPTIONS'],
  ['PATCH *', 405, 'OPTIONS'],
])(
  'responds to %s with %i and Allow, without a key and without CORS headers',
  async (line, status, allow) => {
    await using service = await start();
    const { text } = await exchange(service, `${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text).toContain(`\r\nallow: ${allow}\r\n`);
    expect(text).not.toMatch(/access-control/i);
    expect(/content-length/i.test(text)).toBe(status !== 204);
  },
);

test.each([
  ['GET http://orders.example/v2/echo_with_private_key', 401],
  ['PATCH /v2/orders/a"b', 400],
  ['PATCH /v2/orders/é', 400],
])('reads the target of %s as sent: %i', async (line, status) => {
  await using service = await start();
  const { text } = await exchange(service, `${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('replaces the top-level fields of an update, and keeps the others', async () => {
  await using service = await start();
  await send(service, { body: { order_id: 'a', cart: { items: [{ sku: 'one' }] } } });
  await send(service, { body: { purchase_currency: 'SEK', cart: { items: [{ sku: 'two' }] } } });
  const data = { order_id: 'a', purchase_currency: 'SEK', cart: { items: [{ sku: 'two' }] } };
  expect(service.orders.map(({ revision }) => revision)).toEqual([2, 0, 0]);
  expect(service.order('order-1')).toEqual({ token: 'order-1', revision: 2, data });
});

test('keeps unknown fields at every level', async () => {
  await using service = await start();
  const body = buildOrderUpdate({
    merchant_note: { any: [1, null] },
    cart: { items: [{ colour: 'blue' } as object] },
  });
  await send(service, { body });
  expect(service.appliedUpdates('order-1')).toEqual([body]);
});

test('explains each issue of an invalid update', async () => {
  await using service = await start();
  const { json } = await send(service, { body: { cart: { items: [{ unit_price: 1.5 }] }, orderId: 'a' } });
  const text = { message: expect.any(String), hint: expect.any(String) };
  expect(json).toEqual({
    error: {
      code: 'body_refused',
      message: 'The body is not a valid order update: 2 issues.',
      issues: [
        { path: 'cart.items[0].unit_price', code: 'not_integer', ...text },
        { path: 'orderId', code: 'misspelled', ...text },
      ],
    },
  });
});

test('explains the first hundred of many issues, and counts all', async () => {
  await using service = await start();
  const { json } = await send(service, { body: { cart: { items: Array(5_000).fill(0) } } });
  const { error } = json as MockOrderServiceErrorBody;
  expect(error.message).toContain('5000 issues');
  expect(error.issues).toHaveLength(100);
});

test('checks by the schema of the options, and types what it applied', async () => {
  const schema = defineOrderUpdate({ metadata: ['note'], totalAmount: 'total' });
  await using service = await startMockOrderService({ schema });
  expect((await send(service, { body: { cart: {}, total: 'ten' } })).status).toBe(422);
  expect((await send(service, { body: { cart: {}, total: 10, note: 'gift' } })).status).toBe(200);
  const [applied] = service.appliedUpdates(service.token);
  expect(applied).toEqual({ cart: {}, total: 10, note: 'gift' });
  expectTypeOf(applied?.total).toEqualTypeOf<number | undefined>();
});

/** The head of an update without its length, as text for a bare socket. */
const openHead = (key: string, length: string) =>
  `PATCH /v2/orders/order-1 HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(`${key}:`)}\r\n` +
  `content-type: application/json\r\n${length}\r\n\r\n`;

const startSmall = (maxBodyBytes: number) =>
  startMockOrderService({ keys: ['key-1'], orders: ['order-1'], maxBodyBytes });

test('accepts a body of exactly maxBodyBytes, and rejects one byte more with 413', async () => {
  await using service = await startSmall(11);
  expect((await send(service, { body: '{"cart":{}}' })).status).toBe(200);
  const response = await send(service, { body: '{"cart":{}} ' });
  expect([response.status, codeOf(response)]).toEqual([413, 'body_too_large']);
  expect((await send(service, { body: '{"cart":{}} ', key: 'unknown' })).status).toBe(401);
  expect(service.ledger).toHaveLength(1);
});

test('rejects a body that is declared too large before any of it arrives, and is rid of its sender', async () => {
  await using service = await startSmall(100);
  const socket = await openSocket(service, openHead('key-1', 'content-length: 101'));
  const ending = readToEnd(socket);
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 413 /);
  expect((await ending).text).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
});

test('keeps no more than maxBodyBytes of an upload without a length', async () => {
  const MiB = 1_048_576;
  await using service = await startSmall(MiB);
  const socket = await openSocket(service, openHead('key-1', 'transfer-encoding: chunked'));
  const ending = readToEnd(socket);
  for (let sent = 0; sent < 16; sent += 1) socket.write(`${MiB.toString(16)}\r\n${' '.repeat(MiB)}\r\n`);
  socket.write('0\r\n\r\n');
  expect((await ending).text).toMatch(/^HTTP\/1\.1 413 /);
  expect(service.journal[0]?.body.length).toBeLessThanOrEqual(MiB);
  expect(service.journal[0]).toMatchObject({ complete: false, status: 413 });
});

test('what was pipelined behind a request whose fault ended the connection counts as cut off', async () => {
  await using service = await start();
  const update = `${openHead('key-1', 'content-length: 11')}{"cart":{}}`;
  service.faults.next('lostResponse');
  expect(await exchange(service, update + update)).toEqual({ text: '', end: 'reset' });
  await service.waitForRequests(2);
  expect(service.ledger).toHaveLength(1);
  expect(service.journal).toMatchObject([{ complete: true }, { complete: false, status: undefined }]);
});

test('a pipelined request has no status while the response before it is stalled', async () => {
  await using service = await start();
  const update = `${openHead('key-1', 'content-length: 11')}{"cart":{}}`;
  service.faults.next({ type: 'stalled_headers' });
  const socket = await openSocket(service, update + update);
  await service.waitForRequests(2);
  expect(service.journal.map(({ status }) => status)).toEqual([undefined, undefined]);
  socket.destroy();
});

test('a request without a Host is rejected like any other, and an unknown Expect is ignored', async () => {
  await using service = await start();
  const update = `${openHead('key-1', 'content-length: 11\r\nexpect: tea\r\nconnection: close')}{"cart":{}}`;
  expect((await exchange(service, update)).text).toMatch(/^HTTP\/1\.1 200 [\s\S]*x-request-id: req_1/);
  const hostless = await exchange(service, update.replace(/host: .*\r\n/, ''));
  expect(hostless.text).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-request-id: req_2[\s\S]*request_malformed/);
  expect(service.journal.map(({ status }) => status)).toEqual([200, 400]);
});

test('serves the next request of the same connection after a rejection', async () => {
  await using service = await start();
  const update = (key: string) => `${openHead(key, 'content-length: 11')}{"cart":{}}`;
  const echo = `GET ${ECHO_PATH} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
  const { text } = await exchange(service, update('another') + update('key-1') + echo);
  expect(text.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['401', '200', '401']);
});

test.each([
  ['hello\r\n\r\n', '400 Bad Request'],
  [`GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
])('responds to what is not HTTP like to any bad request', async (text, status) => {
  await using service = await start();
  const [head, body = ''] = (await exchange(service, text)).text.split('\r\n\r\n');
  expect(head?.split('\r\n')).toEqual([
    `HTTP/1.1 ${status}`,
    `content-length: ${body.length}`,
    'content-type: application/json',
    'x-request-id: req_1',
    'connection: close',
  ]);
  const message = expect.any(String);
  expect(JSON.parse(body)).toEqual({ error: { code: 'request_malformed', message } });
  expect((await send(service)).status).toBe(200);
});
