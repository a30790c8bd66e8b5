import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, type LookupFunction, type Socket, setDefaultAutoSelectFamily } from 'node:net';
import { inspect } from 'node:util';
import { createWebhookReader } from '@orders/schema';
import fc from 'fast-check';
import { expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../.ci/free-ports.ts';
import { refusedHosts } from '../../../.ci/loopback-only.ts';
import { startRawServer } from '../test/conformance/servers.ts';
import { startReceiver } from '../test/webhook-receiver.ts';
import { createHistory } from './mock/history.ts';
import { startMockOrderService } from './mock/mock-order-service.ts';
import {
  createWebhooks,
  isLoopbackAddress,
  type WebhookContext,
  type WebhookDelivery,
  type WebhookOptions,
} from './webhooks.ts';

/** The webhooks of a service whose one order, `ord_1`, has the given webhook_url. */
function webhooksTo(
  url: string | undefined,
  options: WebhookOptions = {},
  context: Partial<WebhookContext> = {},
) {
  const data = url === undefined ? {} : { hooks: { webhook_url: url } };
  const find = (token: string) => (token === 'ord_1' ? { data } : undefined);
  const { signal } = new AbortController();
  const history = createHistory<WebhookDelivery>(Number.POSITIVE_INFINITY);
  return createWebhooks({ defaultToken: 'ord_1', find, now: () => 7, signal, history, ...context }, options);
}

const resultOf = ({ status, error }: WebhookDelivery) => status ?? error;

test('sends start_qr_session with a random session to the webhook_url of the order', async () => {
  await using receiver = await startReceiver();
  const webhooks = webhooksTo(receiver.url);
  const delivery = await webhooks.send('start_qr_session');
  const [call] = receiver.calls;
  expect(call).toMatchObject({
    method: 'POST',
    path: '/hooks?shop=1',
    headers: { 'content-type': 'application/json', connection: 'close' },
  });
  expect(JSON.parse(String(call?.body))).toEqual({
    id: delivery.id,
    event: 'start_qr_session',
    order_token: 'ord_1',
    session_id: expect.stringMatching(/^qr_[0-9a-f]{24}$/),
  });
  expect(delivery).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
    event: 'start_qr_session',
    token: 'ord_1',
    url: receiver.url,
    body: String(call?.body),
    at: 7,
    durationMs: 0,
    status: 200,
    delivered: true,
  });
  expect(webhooks.sent).toEqual([delivery]);
  expect(Object.isFrozen(delivery)).toBe(true);
  expectTypeOf(webhooks.sent).toEqualTypeOf<readonly WebhookDelivery[]>();
});

test('sends any event with the fields, session and id given, to the default order', async () => {
  await using receiver = await startReceiver();
  const find = (token: string) => ({ data: { hooks: { webhook_url: `${receiver.url}&order=${token}` } } });
  const webhooks = webhooksTo(undefined, {}, { find, defaultToken: 'ord_a' });
  await webhooks.send('paid', { fields: { amount: 5, event: 'own' }, id: 'evt_a', sessionId: 'qr_a' });
  await webhooks.send('paid', { id: 'evt_b', token: 'ord_b' });
  await webhooks.send('paid', { id: 'evt_c', token: 'ord_c', url: receiver.url });
  expect(receiver.calls.map(({ path, body }) => [path, JSON.parse(String(body))])).toEqual([
    [
      '/hooks?shop=1&order=ord_a',
      { id: 'evt_a', event: 'own', order_token: 'ord_a', session_id: 'qr_a', amount: 5 },
    ],
    ['/hooks?shop=1&order=ord_b', { id: 'evt_b', event: 'paid', order_token: 'ord_b' }],
    ['/hooks?shop=1', { id: 'evt_c', event: 'paid', order_token: 'ord_c' }],
  ]);
});

test('sends the body that payload makes, which the webhook reader of the schema reads', async () => {
  await using receiver = await startReceiver();
  const webhooks = webhooksTo(receiver.url, {
    payload: ({ event, sessionId }) => ({ type: event, data: { session: { id: sessionId } } }),
  });
  await webhooks.send('start_qr_session', { sessionId: 'qr_1' });
  const reader = createWebhookReader({ eventName: 'type', qrSessionId: ['data', 'session', 'id'] });
  const event = JSON.parse(String(receiver.calls[0]?.body));
  expect([reader.eventName(event), reader.qrSessionId(event)]).toEqual(['start_qr_session', 'qr_1']);
});

test.each([
  [[1], 'payload: Expected an object, got a list. Write an object.'],
  [Promise.resolve({}), /^payload: /],
  [{ data: [{ at: new Date(0) }] }, /^payload: data\[0\]\.at: /],
])('a payload of %o is a TypeError that says where', async (payload, message) => {
  await using receiver = await startReceiver();
  const failure = await webhooksTo(receiver.url, { payload: () => payload as object })
    .send('paid')
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TypeError);
  expect((failure as TypeError).message).toMatch(message);
  expect(receiver.calls).toEqual([]);
});

test('any JSON that is sent reads back the same', async () => {
  await using receiver = await startReceiver();
  const webhooks = webhooksTo(receiver.url, { payload: ({ fields }) => fields });
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (fields) => {
      // A field of this name is refused at every level.
      fc.pre(!JSON.stringify(fields).includes('"__proto__":'));
      const { body } = await webhooks.send('paid', { fields });
      const received = receiver.calls.at(-1)?.body.toString('utf8');
      expect(received).toBe(body);
      expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(fields)));
    }),
    { numRuns: 50 },
  );
});

test('adds the headers of sign to each delivery and shows them in no record', async () => {
  await using receiver = await startReceiver();
  const signed: string[] = [];
  const webhooks = webhooksTo(receiver.url.replace('//', '//shop:hidden-1@'), {
    sign: async (body) => {
      signed.push(body);
      return { 'X-Signature': `hidden-${signed.length + 1}`, 'Content-Type': 'application/cloudevents+json' };
    },
  });
  const { id, url, body } = await webhooks.send('paid');
  await webhooks.replay(id);
  expect(signed).toEqual([body, body]);
  expect(receiver.calls.map(({ headers }) => headers)).toMatchObject([
    { 'x-signature': 'hidden-2', 'content-type': 'application/cloudevents+json' },
    { 'x-signature': 'hidden-3', authorization: `Basic ${btoa('shop:hidden-1')}` },
  ]);
  expect(url).toBe(receiver.url);
  for (const shown of [inspect(webhooks, { depth: 9, showHidden: true }), JSON.stringify(webhooks.sent)])
    expect(shown).not.toContain('hidden');
});

test.each<[string, WebhookOptions['sign'], RegExp]>([
  [
    'throws',
    () => {
      throw new TypeError('hidden');
    },
    /sign threw/,
  ],
  ['rejects', () => Promise.reject(new Error('hidden')), /sign threw/],
  ['never returns', () => new Promise(() => {}), /took longer than 200 ms/],
  ['returns text', () => 'hidden' as never, /returned no headers/],
  ['returns an invalid value', () => ({ 'x-secret': 'hidden\n\0' }), /returned no headers/],
  [
    'sets content-length',
    () => ({ 'Content-Length': '1' }),
    /may not set content-length, which belongs to the connection/,
  ],
  ['sets transfer-encoding', () => ({ 'transfer-encoding': 'chunked' }), /may not set transfer-encoding/],
  ['sets host', () => ({ HOST: 'hidden' }), /may not set host/],
])('a sign that %s is a TypeError without its secret, and nothing is sent', async (_what, sign, message) => {
  await using receiver = await startReceiver();
  const webhooks = webhooksTo(receiver.url, { ...(sign && { sign }), timeoutMs: 200 });
  const failure = await webhooks.send('paid').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TypeError);
  expect((failure as TypeError).message).toMatch(message);
  expect(inspect(failure, { depth: 9 })).not.toMatch(/hidden(?!')/);
  expect([webhooks.sent, receiver.calls]).toEqual([[], []]);
});

test('only a 2xx is a delivery; nothing is retried and no redirect is followed', async () => {
  await using other = await startReceiver();
  const statuses = [200, 204, 299, 300, 307, 404, 503];
  await using receiver = await startReceiver((response) => {
    response.writeHead(statuses[receiver.calls.length - 1] ?? 200, { location: other.url }).end();
  });
  const webhooks = webhooksTo(receiver.url);
  for (const _ of statuses) await webhooks.send('paid');
  expect(webhooks.sent.map(({ status, delivered }) => [status, delivered])).toEqual(
    statuses.map((status) => [status, status < 300]),
  );
  expect([receiver.calls.length, other.calls.length]).toEqual([statuses.length, 0]);
});

test.each<[string, (response: ServerResponse) => void, WebhookOptions, number | string]>([
  ['no response', () => {}, { timeoutMs: 50 }, 'timeout'],
  [
    'interim responses without an end',
    (response) => {
      const timer = setInterval(() => response.writeProcessing(), 5);
      response.once('close', () => clearInterval(timer));
    },
    { timeoutMs: 50 },
    'timeout',
  ],
])('ends by the timeout: %s', async (_what, respond, options, result) => {
  await using receiver = await startReceiver(respond);
  expect(resultOf(await webhooksTo(receiver.url, options).send('paid'))).toBe(result);
});

test('ends by the timeout, as delivered: headers, and a body without an end', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(200).write('{'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const headRead = Promise.withResolvers<unknown>();
  diagnostics.subscribe('http.client.response.finish', headRead.resolve);
  const sent = webhooksTo(receiver.url, { timeoutMs: 1_000 }).send('paid');
  await headRead.promise;
  diagnostics.unsubscribe('http.client.response.finish', headRead.resolve);
  vi.advanceTimersByTime(1_000);
  expect(resultOf(await sent)).toBe(200);
});

test('a name that never resolves ends by the timeout', async () => {
  const webhooks = webhooksTo('http://shop.test/', { timeoutMs: 50 }, { lookup: () => {} });
  expect(resultOf(await webhooks.send('paid'))).toBe('timeout');
});

test('reads only the start of a long response', async () => {
  let cut: Promise<unknown> | undefined;
  let written = 0;
  await using receiver = await startReceiver((response) => {
    cut = once(response, 'close');
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384))) written += 16_384;
      response.once('drain', pour);
    };
    pour();
  });
  expect(resultOf(await webhooksTo(receiver.url).send('paid'))).toBe(200);
  await cut;
  // Besides the 64 KiB that were read, only what the kernel buffers for both sides has left.
  expect(written).toBeLessThan(32 * 1_048_576);
});

test.each([
  ['bytes that are not HTTP', (socket: Socket) => socket.end('SSH-2.0\r\n\r\n'), /^HPE_/],
  ['a reset', (socket: Socket) => socket.resetAndDestroy(), /^ECONNRESET$/],
  ['the end of the connection', (socket: Socket) => socket.end(), /^ECONNRESET$/],
  [
    'another protocol',
    (socket: Socket) => socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    /^ECONNRESET$/,
  ],
  [
    'headers without an end',
    (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}`),
    /^HPE_HEADER_OVERFLOW$/,
  ],
])('%s instead of a response is an error in the delivery', async (_what, respond, error) => {
  await using server = await startRawServer(respond);
  const delivery = await webhooksTo(server.url).send('paid');
  expect(delivery).toMatchObject({ error: expect.stringMatching(error), delivered: false });
  expect(delivery).not.toHaveProperty('status');
});

test('a receiver that is down, an unknown name and a failed TLS handshake are errors in the delivery', async () => {
  const down = { url: `http://127.0.0.1:${await freePort()}/` };
  const tls = createHttps({}).listen(0, '127.0.0.1');
  await once(tls, 'listening');
  const webhooks = webhooksTo(down.url);
  const errorOf = async (url: string) => resultOf(await webhooks.send('paid', { url }));
  expect(await errorOf(down.url)).toBe('ECONNREFUSED');
  expect(await errorOf('http://shop.invalid/')).toBe('ENOTFOUND');
  expect(await errorOf(`https://127.0.0.1:${(tls.address() as AddressInfo).port}/`)).toMatch(
    /^(?:ERR_SSL|EPROTO|ECONNRESET)/,
  );
  tls.close();
});

test.each([
  ['an empty list', []],
  ['nothing', undefined],
])('a lookup that fails with %s for addresses is an error in the delivery', async (_what, found) => {
  const lookup: LookupFunction = (_host, _options, callback) =>
    callback(Object.assign(new Error('none'), { code: 'EAI_AGAIN' }), found as []);
  const webhooks = webhooksTo('http://shop.test/', {}, { lookup });
  expect(resultOf(await webhooks.send('paid'))).toBe('EAI_AGAIN');
});

test('of two sends with one id only the first goes out, and an id whose send failed is free', async () => {
  await using receiver = await startReceiver();
  let isSigned = false;
  const sign = () => (isSigned ? {} : Promise.reject(new Error('no key')));
  const webhooks = webhooksTo(receiver.url, { sign });
  await expect(webhooks.send('paid', { id: 'evt_1' })).rejects.toThrow(/sign threw/);
  isSigned = true;
  const [first, second] = [webhooks.send('paid', { id: 'evt_1' }), webhooks.send('paid', { id: 'evt_1' })];
  await expect(second).rejects.toThrow(/^The id "evt_1" was used before/);
  expect(resultOf(await first)).toBe(200);
  expect([receiver.calls.length, webhooks.sent.length]).toEqual([1, 1]);
});

test('replay sends the same bytes to the same URL, even after the order has another', async () => {
  await using receiver = await startReceiver([500, 200]);
  let webhook_url = receiver.url;
  const webhooks = webhooksTo(undefined, {}, { find: () => ({ data: { hooks: { webhook_url } } }) });
  const first = await webhooks.send('start_qr_session', { fields: { name: 'é\ud800', n: 1e21 } });
  webhook_url = 'http://127.0.0.1:1/';
  const second = await webhooks.replay(first.id);
  const [one, two] = receiver.calls;
  expect(two?.body.equals(one?.body ?? Buffer.alloc(0))).toBe(true);
  expect(second).toEqual({ ...first, status: 200, delivered: true });
  expect(webhooks.sent).toEqual([first, second]);
});

test('keeps as many deliveries as its history, and forgets all with clear', async () => {
  await using receiver = await startReceiver();
  const history = createHistory<WebhookDelivery>(2);
  const webhooks = webhooksTo(receiver.url, {}, { history });
  for (const id of ['evt_1', 'evt_2', 'evt_3']) await webhooks.send('paid', { id });
  expect(webhooks.sent.map(({ id }) => id)).toEqual(['evt_2', 'evt_3']);
  expect([webhooks.sent === history.entries, history.dropped]).toEqual([true, 1]);
  await expect(webhooks.replay('evt_1')).rejects.toThrow(/^No event of this id/);
  await expect(webhooks.send('paid', { id: 'evt_3' })).rejects.toThrow(/replay\(id\) sends it again/);
  webhooks.clear();
  expect(webhooks.sent).toEqual([]);
  await expect(webhooks.replay('evt_3')).rejects.toThrow(TypeError);
});

test('closes its connection after the response', async () => {
  await using receiver = await startReceiver();
  const { promise, resolve } = Promise.withResolvers<void>();
  const watch = (message: unknown) => void (message as { socket: Socket }).socket.once('close', resolve);
  diagnostics.subscribe('net.client.socket', watch);
  await webhooksTo(receiver.url).send('paid');
  await promise;
  diagnostics.unsubscribe('net.client.socket', watch);
});

test('closing the service ends 20 pending deliveries at once, and nothing is sent from then on', async () => {
  await using receiver = await startReceiver(() => {});
  const service = await startMockOrderService();
  const { webhooks } = service;
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on('warning', warn);
  const pending = Array.from({ length: 20 }, () => webhooks.send('paid', { url: receiver.url }));
  await receiver.received(20);
  await service.close();
  expect((await Promise.all(pending)).map(resultOf)).toEqual(pending.map(() => 'service_closed'));
  expect(resultOf(await webhooks.send('paid', { url: receiver.url }))).toBe('service_closed');
  expect([receiver.calls.length, warnings]).toEqual([20, []]);
  process.off('warning', warn);
});

test('closing the service ends a delivery whose sign hangs, and nothing is sent', async () => {
  await using receiver = await startReceiver();
  const { promise: signing, resolve } = Promise.withResolvers<void>();
  const sign = () => {
    resolve();
    return new Promise<never>(() => {});
  };
  const service = await startMockOrderService({ webhooks: { sign, timeoutMs: 3_600_000 } });
  const pending = service.webhooks.send('paid', { url: receiver.url });
  await signing;
  await service.close();
  expect(resultOf(await pending)).toBe('service_closed');
  expect([receiver.calls, service.webhooks.sent.length]).toEqual([[], 1]);
});

/** Records every connection that this process starts. */
function watchConnections() {
  const started: string[] = [];
  const watch = (message: unknown) =>
    void (message as { socket: Socket }).socket.on('connectionAttempt', (address) => started.push(address));
  diagnostics.subscribe('net.client.socket', watch);
  return { started, [Symbol.dispose]: () => void diagnostics.unsubscribe('net.client.socket', watch) };
}

const resolvesTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

/** The address 203.0.113.1 in the spellings that a URL may have. */
const spellings = [
  ...['203.0.113.1', '203.0.113.1.', '3405803777', '0xcb007101', '0xcb.0.0x71.1', '0313.0.0161.1'],
  ...['203.28929', '203。0。113。1', '%32%30%33.0.113.1', '127.0.0.1@203.0.113.1'],
];
const others = [
  ...['0', '0.0.0.0', '126.255.255.255', '128.0.0.1', '169.254.169.254', '[::]', '[::2]', '[fe80::1]'],
  ...['[::ffff:203.0.113.1]', '[::ffff:cb00:7101]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
];

test.each<[string, string[]?]>([
  ...[...spellings, ...others].map((host): [string] => [`http://${host}/`]),
  ['https://203.0.113.1/'],
  ['http://shop.test/', ['203.0.113.1']],
  ['http://shop.test/', ['::ffff:203.0.113.1']],
  ['http://shop.test/', ['fe80::1%lo']],
  ['http://shop.test/', ['0.0.0.0']],
  ['http://shop.test/', ['127.0.0.1', '203.0.113.1']],
  ['http://shop.test/', []],
  ['http://localhost/', ['203.0.113.1']],
  ['http://localhost./', ['::1', '::2']],
  ['http://127.0.0.1.example/', ['203.0.113.1']],
])('refuses %s (%j) without a packet sent', async (url, addresses = ['127.0.0.1']) => {
  using watched = watchConnections();
  const webhooks = webhooksTo(url, {}, { lookup: resolvesTo(...addresses) });
  const failure = await webhooks.send('paid').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TypeError);
  expect((failure as TypeError).message).toMatch(
    / is not a loopback address; set webhooks\.allowRemoteHosts/,
  );
  expect([watched.started, webhooks.sent]).toEqual([[], []]);
});

test.each<[string, string]>([
  ['127.0.0.1', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['0x7f.1', '127.0.0.1'],
  ['127.0.0.1.', '127.0.0.1'],
  ['shop.test', '127.0.0.1'],
])('connects to %s by the address that was checked', async (host, address) => {
  await using receiver = await startReceiver();
  using watched = watchConnections();
  const url = receiver.url.replace('127.0.0.1', host);
  const webhooks = webhooksTo(url, {}, { lookup: resolvesTo('127.0.0.1') });
  expect(resultOf(await webhooks.send('paid'))).toBe(200);
  expect(receiver.calls[0]?.headers.host).toBe(new URL(url).host);
  expect(watched.started).toEqual([address]);
});

test('connects to localhost by the resolver of the system, also where Node tries one address only', async () => {
  await using receiver = await startReceiver();
  setDefaultAutoSelectFamily(false);
  onTestFinished(() => setDefaultAutoSelectFamily(true));
  expect(resultOf(await webhooksTo(receiver.url.replace('127.0.0.1', 'localhost')).send('paid'))).toBe(200);
});

test('no IPv4 address outside 127.0.0.0/8 is loopback, mapped into IPv6 or not', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const isInside = address.startsWith('127.');
      expect([address, `::ffff:${address}`].map(isLoopbackAddress)).toEqual([isInside, isInside]);
    }),
  );
  expect(['::1', '0:0:0:0:0:0:0:1', '::ffff:7f00:1'].every(isLoopbackAddress)).toBe(true);
  expect(['localhost', '127.1', '127.0.0.1.example', ''].some(isLoopbackAddress)).toBe(false);
});

test('a replay to a name that has moved to another machine is refused', async () => {
  await using receiver = await startReceiver();
  using watched = watchConnections();
  const addresses = ['127.0.0.1', '203.0.113.1'];
  const lookup: LookupFunction = (...call) => resolvesTo(addresses.shift() ?? '')(...call);
  const webhooks = webhooksTo(receiver.url.replace('127.0.0.1', 'shop.test'), {}, { lookup });
  const { id } = await webhooks.send('paid');
  await expect(webhooks.replay(id)).rejects.toThrow(/^shop\.test is not a loopback address/);
  expect([watched.started, webhooks.sent.length]).toEqual([['127.0.0.1'], 1]);
});

test('connects to other machines with allowRemoteHosts', async () => {
  const lookup = resolvesTo('203.0.113.1');
  const webhooks = webhooksTo(undefined, { allowRemoteHosts: true }, { lookup });
  for (const host of ['203.0.113.1', 'shop.test']) {
    expect(
      await webhooks.send('paid', { url: `http://${host}/` }).catch((error) => error),
    ).not.toBeInstanceOf(TypeError);
    // It tried, and the setup file of all tests refused it.
    expect(refusedHosts.splice(0)).toEqual(['203.0.113.1']);
  }
});

test.each([
  [['paid'], /no absolute http or https URL; give a url, or send an update with hooks\.webhook_url/],
  [['paid', { token: 'ord_2' }], /no order has this token/],
  [['paid', { url: 'ftp://127.0.0.1/' }], /no absolute http or https URL/],
  [['paid', { url: '/hooks' }], /no absolute http or https URL/],
  [['paid', { url: 'http://shop:hidden@[bad]/' }], /no absolute http or https URL/],
  [['paid', { url: 'http://hidden%:%ff@127.0.0.1/' }], /webhooks\.send: url: .* write % as %25/],
  [['paid', { url: 'http://127.0.0.1/', fields: { at: new Date(0) } }], /fields: at: Cannot send an /],
  [['paid', { fields: [] }], /fields: Expected an object/],
  [['paid', { session_id: 'x' }], /unknown option "session_id"\. Did you mean "sessionId"\?/],
  [['paid', { id: '' }], /webhooks\.send: id: /],
  [[''], /webhooks\.send: event: /],
  [[5], /webhooks\.send: event: Invalid input: expected string/],
])('send(...%j) is a TypeError that says what to write', async (call, message) => {
  const webhooks = webhooksTo(undefined);
  const [event, options] = call as Parameters<typeof webhooks.send>;
  const failure = await webhooks.send(event, options).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TypeError);
  expect(String(failure)).toMatch(message);
  expect(String(failure)).not.toContain('hidden');
});

test.each([
  [{ timeoutMs: Number.NaN }, /^webhooks: timeoutMs: /],
  [{ timeoutMs: 0 }, /^webhooks: timeoutMs: /],
  [{ payload: {} }, /^webhooks: payload: Expected a function/],
  [{ sign: 'hidden' }, /^webhooks: sign: Expected a function/],
  [{ allowRemoteHosts: 'yes' }, /^webhooks: allowRemoteHosts: /],
  [{ allowRemote: true }, 'webhooks: unknown option "allowRemote". Did you mean "allowRemoteHosts"?'],
  [{ maxAttempts: 3 }, /^webhooks: unknown option "maxAttempts"/],
  [[], 'webhooks: expected an object of options.'],
])('options %j are a TypeError', (options, message) => {
  const create = () => webhooksTo(undefined, options as WebhookOptions);
  expect(create).toThrow(TypeError);
  expect(create).toThrow(message);
  expect(create).not.toThrow(/hidden/);
});
