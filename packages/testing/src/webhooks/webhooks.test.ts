import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type LookupFunction, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { createWebhookReader } from '@orders/schema';
import { expect, expectTypeOf, test } from 'vitest';
import { expectRefusal } from '../../../../.ci/loopback-watch.ts';
import { startReceiver } from '../../test/webhook-receiver.ts';
import type { WebhookContext } from './webhook-context.ts';
import type { WebhookDelivery } from './webhook-delivery.ts';
import type { WebhookOptions } from './webhook-options.ts';
import { createWebhooks } from './webhooks.ts';

/** The webhooks of a service whose one order has the given webhook_url. */
function webhooksTo(
  url: string | undefined,
  options: WebhookOptions = {},
  context: Partial<WebhookContext> = {},
) {
  const data = url === undefined ? {} : { hooks: { webhook_url: url } };
  const find = (token: string) => (token === 'ord_1' ? { token, data } : undefined);
  const { signal } = new AbortController();
  return createWebhooks(
    { token: 'ord_1', find, now: () => 7, signal, ...context },
    { retryDelayMs: 0, ...options },
  );
}

const statusesOf = ({ attempts }: WebhookDelivery) => attempts.map(({ status, error }) => status ?? error);

test('sends start_qr_session with a session of its own to the order', async () => {
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
  expect(webhooks.sent).toEqual([delivery]);
  expect(delivery).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
    event: 'start_qr_session',
    token: 'ord_1',
    url: receiver.url,
    body: String(call?.body),
    attempts: [{ at: 7, durationMs: 0, status: 200 }],
    delivered: true,
  });
  expectTypeOf(webhooks.sent).toEqualTypeOf<readonly WebhookDelivery[]>();
});

test('sends any event with the fields, the session and the id that it is given', async () => {
  await using receiver = await startReceiver();
  const webhooks = webhooksTo(undefined);
  await webhooks.send('paid', { url: receiver.url, fields: { amount: 5 }, id: 'evt_a', sessionId: 'qr_a' });
  await webhooks.send('paid', { url: receiver.url, id: 'evt_b' });
  expect(receiver.calls.map(({ body }) => JSON.parse(String(body)))).toEqual([
    { id: 'evt_a', event: 'paid', order_token: 'ord_1', session_id: 'qr_a', amount: 5 },
    { id: 'evt_b', event: 'paid', order_token: 'ord_1' },
  ]);
});

test('sends the payload of another service, which the reader of the schema reads', async () => {
  await using receiver = await startReceiver();
  const webhooks = webhooksTo(receiver.url, {
    payload: ({ event, sessionId }) => ({ type: event, data: { session: { id: sessionId } } }),
  });
  await webhooks.send('start_qr_session', { sessionId: 'qr_1' });
  const reader = createWebhookReader({ eventName: 'type', qrSessionId: ['data', 'session', 'id'] });
  const event: { type: string } = JSON.parse(String(receiver.calls[0]?.body));
  expect([reader.eventName({ ...event }), reader.qrSessionId({ ...event })]).toEqual([
    'start_qr_session',
    'qr_1',
  ]);
});

test('takes three attempts where 503, 503 and 200 answer, with the same bytes', async () => {
  await using receiver = await startReceiver([503, 503, 200]);
  const delivery = await webhooksTo(receiver.url).send('paid');
  expect([statusesOf(delivery), delivery.delivered]).toEqual([[503, 503, 200], true]);
  expect(new Set(receiver.calls.map(({ body }) => String(body)))).toEqual(new Set([delivery.body]));
});

test('gives up after the last attempt', async () => {
  await using receiver = await startReceiver([500]);
  const webhooks = webhooksTo(receiver.url, { maxAttempts: 2 });
  const delivery = await webhooks.send('paid');
  expect([statusesOf(delivery), delivery.delivered]).toEqual([[500, 500], false]);
  expect(webhooks.sent).toEqual([delivery]);
});

test('counts any 2xx as handed over and follows no redirect', async () => {
  await using other = await startReceiver();
  await using receiver = await startReceiver((response) => {
    const isFirst = receiver.calls.length === 1;
    response.writeHead(isFirst ? 307 : 204, { location: other.url }).end();
  });
  expect(statusesOf(await webhooksTo(receiver.url).send('paid'))).toEqual([307, 204]);
  expect(other.calls).toEqual([]);
});

test('an attempt at a receiver that never answers ends by the timeout', async () => {
  await using receiver = await startReceiver(() => {});
  const delivery = await webhooksTo(receiver.url, { timeoutMs: 20, maxAttempts: 2 }).send('paid');
  expect([statusesOf(delivery), delivery.delivered]).toEqual([['timeout', 'timeout'], false]);
});

test('the head of an answer decides, even where its body never ends', async () => {
  await using receiver = await startReceiver((response) => {
    response.writeHead(receiver.calls.length === 1 ? 500 : 200).write('{');
  });
  expect(statusesOf(await webhooksTo(receiver.url, { timeoutMs: 500 }).send('paid'))).toEqual([500, 200]);
});

test('cuts off an answer without an end before it has taken much of it', async () => {
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
  const delivery = await webhooksTo(receiver.url).send('paid');
  await cut;
  expect(statusesOf(delivery)).toEqual([200]);
  // Besides the 64 KiB that were read, only what the kernel holds for both sides has left.
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
])('%s instead of an answer is one failed attempt', async (_what, answer, error) => {
  const server = createTcp((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { attempts } = await webhooksTo(`http://127.0.0.1:${port}/`, { maxAttempts: 1 }).send('paid');
  expect(attempts).toEqual([{ at: 7, durationMs: 0, error: expect.stringMatching(error) }]);
  server.close();
});

test('a receiver that is away, a name that is none and a wrong certificate are failed attempts', async () => {
  const away = await startReceiver();
  await away[Symbol.asyncDispose]();
  const tls = createHttps({}).listen(0, '127.0.0.1');
  await once(tls, 'listening');
  const lookup: LookupFunction = (_host, _options, callback) =>
    callback(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), []);
  const webhooks = webhooksTo(away.url, { maxAttempts: 1 }, { lookup });
  const errorOf = async (url: string) => (await webhooks.send('paid', { url })).attempts[0]?.error;
  expect(await errorOf(away.url)).toBe('ECONNREFUSED');
  expect(await errorOf('http://shop.test/')).toBe('ENOTFOUND');
  expect(await errorOf(`https://127.0.0.1:${(tls.address() as AddressInfo).port}/`)).toMatch(
    /^(?:ERR_SSL|EPROTO|ECONNRESET)/,
  );
  tls.close();
});

test('replay sends identical bytes, and both are in sent', async () => {
  await using receiver = await startReceiver([500, 200]);
  const webhooks = webhooksTo(receiver.url, { maxAttempts: 1 });
  const first = await webhooks.send('start_qr_session', { fields: { name: 'é\ud800', n: 1e21 } });
  const second = await webhooks.replay(first.id);
  const [one, two] = receiver.calls;
  expect(two?.body.equals(one?.body ?? Buffer.alloc(0))).toBe(true);
  expect(second).toEqual({ ...first, attempts: [expect.objectContaining({ status: 200 })], delivered: true });
  expect(webhooks.sent).toEqual([first, second]);
});

test('leaves no connection behind', async () => {
  await using receiver = await startReceiver([500, 200]);
  const closed = new Promise<void>((resolve) => {
    let count = 0;
    diagnostics.subscribe('net.client.socket', function watch(message) {
      const { socket } = message as { socket: Socket };
      socket.once('close', () => {
        count += 1;
        if (count < 2) return;
        diagnostics.unsubscribe('net.client.socket', watch);
        resolve();
      });
    });
  });
  await webhooksTo(receiver.url).send('paid');
  await closed;
});

test('closing ends an attempt that waits for its answer, at once', async () => {
  await using receiver = await startReceiver(() => {});
  const closing = new AbortController();
  const sending = webhooksTo(receiver.url, {}, { signal: closing.signal }).send('paid');
  await receiver.received(1);
  closing.abort();
  expect(await sending).toMatchObject({ attempts: [{ error: 'service_closed' }], delivered: false });
});

test('closing ends the wait for the next attempt, at once', async () => {
  await using receiver = await startReceiver([503]);
  const closing = new AbortController();
  const attempted = Promise.withResolvers<void>();
  let readings = 0;
  // The clock is read before an attempt and after it, and then the wait begins.
  const now = () => {
    readings += 1;
    if (readings === 2) attempted.resolve();
    return readings;
  };
  const context = { signal: closing.signal, now };
  const sending = webhooksTo(receiver.url, { retryDelayMs: 3_600_000 }, context).send('paid');
  await attempted.promise;
  closing.abort();
  expect(await sending).toMatchObject({
    attempts: [{ at: 1, durationMs: 1, status: 503 }],
    delivered: false,
  });
  expect(receiver.calls).toHaveLength(1);
});

test('a closed service sends nothing', async () => {
  await using receiver = await startReceiver();
  const delivery = await webhooksTo(receiver.url, {}, { signal: AbortSignal.abort() }).send('paid');
  expect([statusesOf(delivery), delivery.delivered]).toEqual([['service_closed'], false]);
  expect(receiver.calls).toEqual([]);
});

/** Notes every connection that anything in this process begins. */
function watchConnections() {
  const begun: string[] = [];
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address) => begun.push(address));
  };
  diagnostics.subscribe('net.client.socket', watch);
  return { begun, [Symbol.dispose]: () => void diagnostics.unsubscribe('net.client.socket', watch) };
}

const resolvesTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

test('refuses a name that resolves to another machine, without a packet sent', async () => {
  using watched = watchConnections();
  for (const addresses of [['203.0.113.1'], ['127.0.0.1', '203.0.113.1'], ['::ffff:203.0.113.1']]) {
    const webhooks = webhooksTo('http://localhost/', {}, { lookup: resolvesTo(...addresses) });
    await expect(webhooks.send('paid', { id: 'evt_1' })).rejects.toThrow(
      new TypeError(
        'localhost is not an address of this machine alone; set webhooks.anyAddress to call it all the same.',
      ),
    );
    await expect(webhooks.replay('evt_1')).rejects.toThrow(/^No event of this id/);
    expect(webhooks.sent).toEqual([]);
  }
  expect(watched.begun).toEqual([]);
});

test.each(['http://203.0.113.1/', 'http://[::ffff:203.0.113.1]/', 'https://0.0.0.0/', 'http://3405803777/'])(
  'refuses the address %s, without a packet sent',
  async (url) => {
    using watched = watchConnections();
    await expect(webhooksTo(url).send('paid')).rejects.toThrow(TypeError);
    expect(watched.begun).toEqual([]);
  },
);

test('connects to a name on this machine, by the very address that was judged', async () => {
  await using receiver = await startReceiver();
  using watched = watchConnections();
  const { port } = new URL(receiver.url);
  const webhooks = webhooksTo(`http://shop.test:${port}/`, {}, { lookup: resolvesTo('127.0.0.1') });
  expect(statusesOf(await webhooks.send('paid'))).toEqual([200]);
  expect(receiver.calls[0]?.headers.host).toBe(`shop.test:${port}`);
  expect(watched.begun).toEqual(['127.0.0.1']);
});

test('connects to localhost by the resolver of the system', async () => {
  await using receiver = await startReceiver();
  const delivery = await webhooksTo(receiver.url.replace('127.0.0.1', 'localhost')).send('paid');
  expect([statusesOf(delivery), receiver.calls.length]).toEqual([[200], 1]);
});

test('ends a delivery whose name leads elsewhere from the second attempt on', async () => {
  await using receiver = await startReceiver([503]);
  using watched = watchConnections();
  let lookups = 0;
  const lookup: LookupFunction = (...call) => {
    lookups += 1;
    resolvesTo(lookups === 1 ? '127.0.0.1' : '203.0.113.1')(...call);
  };
  const webhooks = webhooksTo(receiver.url.replace('127.0.0.1', 'shop.test'), {}, { lookup });
  expect(statusesOf(await webhooks.send('paid'))).toEqual([503, 'address_refused']);
  expect(watched.begun).toEqual(['127.0.0.1']);
});

test('asks for any address when told', async () => {
  const webhooks = webhooksTo(
    undefined,
    { anyAddress: true, maxAttempts: 1 },
    { lookup: resolvesTo('203.0.113.1') },
  );
  for (const host of ['203.0.113.1', 'shop.test']) {
    const sending = () => webhooks.send('paid', { url: `http://${host}/` });
    expect(statusesOf(await expectRefusal(['203.0.113.1'], sending))).toEqual(['ERR_NOT_LOOPBACK']);
  }
});

test('shows neither its headers nor a password of the address', async () => {
  await using receiver = await startReceiver([500]);
  const webhooks = webhooksTo(receiver.url.replace('//', '//shop:sekret-1@'), {
    headers: { 'X-Shop-Secret': 'sekret-2' },
    maxAttempts: 1,
  });
  const delivery = await webhooks.send('paid');
  expect(receiver.calls[0]?.headers).toMatchObject({
    'x-shop-secret': 'sekret-2',
    authorization: `Basic ${btoa('shop:sekret-1')}`,
  });
  expect(delivery.url).toBe(receiver.url.replace('//', '//[redacted]@'));
  for (const shown of [inspect(webhooks, { depth: 9, showHidden: true }), JSON.stringify(webhooks.sent)])
    expect(shown).not.toContain('sekret');
});

test('what was sent cannot be changed', async () => {
  await using receiver = await startReceiver();
  const { attempts } = await webhooksTo(receiver.url).send('paid');
  expect([attempts, attempts[0]].every(Object.isFrozen)).toBe(true);
});

test.each([
  [['paid'], /no hooks\.webhook_url; send an update that sets it, or give a url\./],
  [['paid', { token: 'ord_2' }], /no order has this token/],
  [['paid', { url: 'ftp://127.0.0.1/' }], /must be absolute and begin with http/],
  [['paid', { url: '/hooks' }], /must be absolute and begin with http/],
  [['paid', { url: 'http://shop:sekret@[bad]/' }], /must be absolute and begin with http/],
  [
    ['paid', { url: 'http://127.0.0.1/', fields: { at: new Date(0) } }],
    /fields must be a plain object of JSON values/,
  ],
  [
    ['paid', { url: 'http://127.0.0.1/', session_id: 'x' }],
    /unknown option "session_id"\. Did you mean "sessionId"\?/,
  ],
  [[''], /event must be a string of 1 to 255 characters/],
  [[5], /event must be a string of 1 to 255 characters/],
])('refuses to send %j, and says what to write', async (call, message) => {
  const webhooks = webhooksTo(undefined);
  const [event, options] = call as Parameters<typeof webhooks.send>;
  const failure = await webhooks.send(event, options).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TypeError);
  expect(String(failure)).toMatch(message);
  expect(String(failure)).not.toContain('sekret');
});

test('refuses a payload that is not JSON, an id used before and a replay of none', async () => {
  await using receiver = await startReceiver();
  const webhooks = webhooksTo(receiver.url, { payload: () => [1] });
  await expect(webhooks.send('paid')).rejects.toThrow(/^payload: Expected an object/);
  const other = webhooksTo(receiver.url);
  const sending = other.send('paid', { id: 'evt_1' });
  await expect(other.send('paid', { id: 'evt_1' })).rejects.toThrow(/replay\(id\) sends it again/);
  await sending;
  await expect(other.replay('evt_2')).rejects.toThrow(/No event of this id/);
  expect(receiver.calls).toHaveLength(1);
});
