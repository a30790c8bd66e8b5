import { basic } from '@orders/auth';
import { expect, expectTypeOf, test } from 'vitest';
import { withinTheTest } from '../../../.ci/within-the-test.ts';
import { createOrdersClient as createOverFetch } from './fetch.ts';
import { createOrdersClient } from './index.ts';
import { type CallOptions, callOptionNames, clientOptionNames, type OrdersClientOptions } from './options.ts';

const baseUrl = 'https://api.example.com';
const apiKey = 'swordfish-swordfish';

/** Where a client with this base URL sends its updates. */
function urlOf(url: string | URL, options: Partial<OrdersClientOptions> = {}): string {
  const orders = createOrdersClient({ baseUrl: url, apiKey, ...options });
  return orders.prepareUpdateOrder('order_1234', { cart: {} }).url;
}

test.each<[url: string, start: string]>([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com'],
  ['https://api.example.com/orders//', 'https://api.example.com/orders'],
  ...['/proxy/v2x', '/v2/proxy', '/v2x/orders', '/xv2', '/echo_with_private_key'].map(
    (path): [string, string] => [`https://api.example.com${path}`, `https://api.example.com${path}`],
  ),
  ['http://127.0.0.1:8402', 'http://127.0.0.1:8402'],
  ['http://localhost:8402', 'http://localhost:8402'],
  ['http://[::1]:8402', 'http://[::1]:8402'],
])('sends updates of the base URL %s to %s', (url, start) => {
  expect(urlOf(url)).toBe(`${start}/v2/orders/order_1234`);
  expect(urlOf(new URL(url))).toBe(`${start}/v2/orders/order_1234`);
});

test('allows plain http to another machine with allowInsecureHttp', () => {
  expect(urlOf('http://api.example.com', { allowInsecureHttp: true })).toMatch(/^http:/);
});

test('sends headers of any name', () => {
  const headers = { ['__proto__']: 'a', constructor: 'b' };
  const orders = createOrdersClient({ baseUrl, apiKey, headers });
  const command = orders.prepareUpdateOrder('order_1234', { cart: {} }).toCurl();
  expect(command).toContain("-H '__proto__: a'");
  expect(command).toContain("-H 'constructor: b'");
});

test('reads a base URL in linear time, however many slashes', () => {
  const url = `https://api.example.com/${'/'.repeat(1e6)}x`;
  expect(withinTheTest(() => urlOf(url)).endsWith('x/v2/orders/order_1234')).toBe(true);
});

test.each<[options: object, message: string | RegExp]>([
  [{ baseUrl: undefined }, /baseUrl/],
  [{ baseUrl: 'api.example.com' }, /full URL/],
  [{ baseUrl: '' }, /full URL/],
  [{ baseUrl: 'ftp://api.example.com' }, /full URL/],
  [{ baseUrl: 'https://swordfish:swordfish@api.example.com' }, /apiKey/],
  [{ baseUrl: 'https://api.example.com?x=1' }, /query/],
  [{ baseUrl: 'https://api.example.com#x' }, /fragment/],
  [{ baseUrl: 'http://api.example.com' }, /https/],
  [{ baseUrl: 'http://127.0.0.1.example.com' }, /https/],
  [{ baseUrl: 'http://localhost.example.com' }, /https/],
  [{ baseUrl: 'http://x.localhost' }, /https/],
  [{ baseUrl: 'https://api.example.com/v2' }, 'write "https://api.example.com"'],
  [{ baseUrl: 'https://api.example.com/pay/v2/' }, 'write "https://api.example.com/pay"'],
  [{ baseUrl: 'https://api.example.com/v2/orders' }, 'ends in /v2…, which the client adds itself'],
  [{ baseUrl: 'https://api.example.com/pay/v2/orders/' }, 'write "https://api.example.com/pay"'],
  [{ baseUrl: 'https://api.example.com/v2/orders/swordfish' }, 'write "https://api.example.com"'],
  [{ baseUrl: 'https://api.example.com/v2/echo_with_private_key/' }, 'write "https://api.example.com"'],
  [{ credentials: basic(apiKey) }, /not both/],
  [{ apiKey: `${apiKey}:` }, /colon/],
  [{ apiKey: undefined, credentials: apiKey }, /credentials/],
  [{ headers: { Authorization: 'x' } }, /Authorization is set by the client/],
  [{ headers: { host: 'x' } }, /host is set by the client/],
  [{ headers: { 'Content-Type': 'x' } }, /is set by the client/],
  [{ headers: { 'content-length': 'x' } }, /is set by the client/],
  [{ headers: { 'Transfer-Encoding': 'x' } }, /is set by the client/],
  [{ headers: { Connection: 'x' } }, /is set by the client/],
  [{ headers: { 'Accept-Encoding': 'gzip' } }, /is set by the client/],
  [{ headers: { 'x-a\r\nx-b': '1' } }, /no header name/],
  [{ headers: { '': '1' } }, /no header name/],
  [{ headers: { 'x a': '1' } }, /no header name/],
  [{ headers: { 'x-a': 'swordfish\r\nx-b: 2' } }, /x-a has no value that HTTP allows/],
  [{ headers: { 'x-a': 'swordfish\0' } }, /x-a has no value that HTTP allows/],
  [{ headers: { 'x-a': 'swordfish ✓' } }, /x-a has no value that HTTP allows/],
  [{ headers: new Headers() }, 'createOrdersClient: headers: expected an object of options.'],
  [{ timeouts: { attempt: 0 } }, /timeouts\.attempt/],
  [{ timeouts: { total: 2 ** 31 } }, /timeouts\.total/],
  [{ timeouts: 200 }, 'createOrdersClient: timeouts: expected an object of options.'],
  [
    { timeouts: { totalMs: 3 } },
    'createOrdersClient: timeouts: unknown option "totalMs". Did you mean "total"?',
  ],
  [{ timeout: 3 }, 'createOrdersClient: unknown option "timeout". Write timeouts: { total: 3 }'],
  [{ retry: { maxAttempts: 0 } }, /maxAttempts/],
  [{ retry: { resendUnknown: 'false' } }, 'retry.resendUnknown: write true or false.'],
  [{ retry: { maxRetries: 3 } }, 'retry: unknown option "maxRetries". Write retry: { maxAttempts: 4 }'],
  [{ retry: 3 }, 'createOrdersClient: retry: expected an object of options.'],
  [{ retries: 3 }, 'createOrdersClient: unknown option "retries". Write retry: { maxAttempts: 4 }'],
  [{ rateLimit: { requestsPerSecond: 0 } }, /requestsPerSecond/],
  [{ rateLimit: { requestsPerSecond: Number.NaN } }, /requestsPerSecond/],
  [{ rateLimit: { requestsPerSecond: 1, burst: 0 } }, /burst/],
  [{ rateLimit: { requestsPerMinute: 3 } }, 'Known: requestsPerSecond, burst.'],
  [{ maxResponseBytes: 0 }, /maxResponseBytes/],
  [{ allowInsecureHttp: 'false' }, 'allowInsecureHttp: write true or false.'],
  [{ dangerouslyAllowBrowser: 1 }, 'dangerouslyAllowBrowser: write true or false.'],
  [{ schema: {} }, 'schema: pass OrderUpdate'],
  [{ ordering: 'fifo' }, 'ordering: write "per-order" or "none".'],
  [{ signal: AbortSignal.abort() }, 'createOrdersClient: unknown option "signal". Known: '],
])('refuses the options %o with a TypeError that says what to write', (wrong, message) => {
  const create = () => createOrdersClient({ baseUrl, apiKey, ...wrong });
  expect(create).toThrow(TypeError);
  expect(create).toThrow(message);
  expect(create).not.toThrow(/swordfish/);
});

test('refuses to work without a key, and asks whether its variable is set', () => {
  expect(() => createOrdersClient({ baseUrl })).toThrow(/^Pass either apiKey/);
  expect(() => createOrdersClient({ baseUrl, apiKey: undefined as never })).toThrow(
    /variable set\? Pass either apiKey/,
  );
});

test('over fetch refuses a fetch that is no function', () => {
  expect(() => createOverFetch({ baseUrl, apiKey, fetch: 'fetch' as never })).toThrow(TypeError);
});

test('the lists of known options are complete', () => {
  expectTypeOf<(typeof callOptionNames)[number]>().toEqualTypeOf<keyof CallOptions>();
  expectTypeOf<(typeof clientOptionNames)[number]>().toEqualTypeOf<keyof OrdersClientOptions>();
});

test('refuses a signal, and whatever else is no plain object, as the options of a client or a call', async () => {
  const orders = createOrdersClient({ baseUrl, apiKey });
  for (const wrong of [AbortSignal.abort(), 3, 'https://api.example.com', null, undefined] as never[]) {
    expect(() => createOrdersClient(wrong)).toThrow('expected an object of options');
    if (wrong) await expect(orders.echo(wrong)).rejects.toThrow('expected an object of options');
  }
});

test.each(['beforeAttempt', 'beforeSend', 'afterAttempt'])(
  'refuses a %s that is no function',
  async (name) => {
    const orders = createOrdersClient({ baseUrl, apiKey });
    for (const wrong of ['log', null, {}]) {
      expect(() => createOrdersClient({ baseUrl, apiKey, [name]: wrong })).toThrow(TypeError);
      await expect(orders.echo({ [name]: wrong })).rejects.toThrow(`${name}: pass a function`);
    }
  },
);

test('every option may be undefined, but for the base URL and the key; a signal may be null', async () => {
  const unset = Object.fromEntries(clientOptionNames.map((name) => [name, undefined]));
  const given = { ...unset, baseUrl, apiKey };
  await using overUndici = createOrdersClient(given);
  const fetch = async () =>
    new Response('{}', { headers: { 'content-type': 'application/json', 'x-request-id': 'req_1' } });
  await using orders = createOverFetch({ ...given, fetch });
  const call = Object.fromEntries(callOptionNames.map((name) => [name, undefined]));
  for (const signal of [undefined, null])
    expect(await orders.updateOrder('order_1', { cart: {} }, { ...call, signal })).toMatchObject({
      requestId: 'req_1',
    });
  expect(overUndici.transport).toBe('undici');
});
