import { expect, expectTypeOf, test } from 'vitest';
import {
  type CallOptions,
  type callOptionNames,
  checkHeaders,
  clientOptionNames,
  type OrdersClientOptions,
  parseBaseUrl,
  resolveCallOptions,
  resolveClientOptions,
} from './options.ts';

test.each([
  ['https://api.example.com', { origin: 'https://api.example.com', host: 'api.example.com', prefix: '' }],
  ['https://api.example.com/', { origin: 'https://api.example.com', host: 'api.example.com', prefix: '' }],
  [
    'https://api.example.com/orders//',
    { origin: 'https://api.example.com', host: 'api.example.com', prefix: '/orders' },
  ],
  ['http://127.0.0.1:8402', { origin: 'http://127.0.0.1:8402', host: '127.0.0.1:8402', prefix: '' }],
  ['http://localhost:8402', { origin: 'http://localhost:8402', host: 'localhost:8402', prefix: '' }],
  ['http://[::1]:8402', { origin: 'http://[::1]:8402', host: '[::1]:8402', prefix: '' }],
])('parses the base URL %s', (url, parsed) => {
  expect(parseBaseUrl(url, false)).toEqual(parsed);
  expect(parseBaseUrl(new URL(url), false)).toEqual(parsed);
});

test.each([
  ['api.example.com', /full URL/],
  ['', /full URL/],
  ['ftp://api.example.com', /full URL/],
  ['https://key:@api.example.com', /apiKey/],
  ['https://api.example.com?x=1', /query/],
  ['https://api.example.com#x', /fragment/],
  ['http://api.example.com', /https/],
  ['http://127.0.0.1.example.com', /https/],
  ['http://localhost.example.com', /https/],
  ['http://x.localhost', /https/],
  ['https://api.example.com/v2', /write "https:\/\/api\.example\.com"/],
  ['https://api.example.com/pay/v2/', /write "https:\/\/api\.example\.com\/pay"/],
])('refuses the base URL %j and says what to write', (url, message) => {
  expect(() => parseBaseUrl(url, false)).toThrow(TypeError);
  expect(() => parseBaseUrl(url, false)).toThrow(message);
});

test('allows plain http to another machine with allowInsecureHttp', () => {
  expect(parseBaseUrl('http://api.example.com', true).origin).toBe('http://api.example.com');
});

test('shows no credentials of a base URL that it refuses', () => {
  expect(() => parseBaseUrl('https://swordfish:pw@api.example.com', false)).not.toThrow(/swordfish|pw/);
});

test('parses a base URL in linear time, however many slashes', () => {
  const start = performance.now();
  expect(parseBaseUrl(`https://api.example.com/${'/'.repeat(80_000)}x`, false).prefix).toMatch(/x$/);
  expect(performance.now() - start).toBeLessThan(200);
});

test('allows other headers, with names in lower case', () => {
  expect(checkHeaders({ 'X-Shop': 'a b', traceparent: '00-1-2-03' })).toEqual({
    'x-shop': 'a b',
    traceparent: '00-1-2-03',
  });
});

test.each(['Authorization', 'host', 'Content-Type', 'content-length', 'Transfer-Encoding', 'Connection'])(
  'refuses the header %s, which the client sets itself',
  (name) => {
    expect(() => checkHeaders({ [name]: 'x' })).toThrow(TypeError);
  },
);

test.each([
  ['x-a\r\nx-b', '1'],
  ['', '1'],
  ['x a', '1'],
  ['x-a', 'swordfish\r\nx-b: 2'],
  ['x-a', 'swordfish\0'],
  ['x-a', 'swordfish ✓'],
])('refuses the header %j: %j without showing its value', (name, value) => {
  expect(() => checkHeaders({ [name]: value })).toThrow(TypeError);
  expect(() => checkHeaders({ [name]: value })).not.toThrow(/swordfish/);
});

const required = { baseUrl: 'https://api.example.com', apiKey: 'swordfish-swordfish' };

test.each<[object, string]>([
  [{ retries: 3 }, 'createOrdersClient: unknown option "retries". Did you mean "retry"?'],
  [{ timeout: 3 }, 'createOrdersClient: unknown option "timeout". Did you mean "timeouts"?'],
  [
    { retry: { maxRetries: 3 } },
    'createOrdersClient: retry: unknown option "maxRetries". Did you mean "maxAttempts"?',
  ],
  [{ retry: 3 }, 'createOrdersClient: retry: expected an object of options.'],
  [{ timeouts: 200 }, 'createOrdersClient: timeouts: expected an object of options.'],
  [{ headers: new Headers() }, 'createOrdersClient: headers: expected an object of options.'],
  [{ retry: { resendUnknown: 'false' } }, 'retry.resendUnknown: write true or false.'],
  [{ allowInsecureHttp: 'false' }, 'allowInsecureHttp: write true or false.'],
  [{ dangerouslyAllowBrowser: 1 }, 'dangerouslyAllowBrowser: write true or false.'],
  [{ schema: {} }, 'schema: pass OrderUpdate'],
  [{ ordering: 'fifo' }, 'ordering: write "per-order" or "none".'],
  [
    { timeouts: { totalMs: 3 } },
    'createOrdersClient: timeouts: unknown option "totalMs". Did you mean "total"?',
  ],
  [{ rateLimit: { requestsPerMinute: 3 } }, 'Did you mean "requestsPerSecond"?'],
  [{ signal: AbortSignal.abort() }, 'createOrdersClient: unknown option "signal". Known: '],
])('refuses the options %o', (wrong, message) => {
  expect(() => resolveClientOptions({ ...required, ...wrong }, 'undici')).toThrow(TypeError);
  expect(() => resolveClientOptions({ ...required, ...wrong }, 'undici')).toThrow(message);
});

test('the lists of known options are complete', () => {
  expectTypeOf<(typeof callOptionNames)[number]>().toEqualTypeOf<keyof CallOptions>();
  expectTypeOf<(typeof clientOptionNames)[number]>().toEqualTypeOf<keyof OrdersClientOptions>();
  expect(clientOptionNames).not.toContain('signal');
});

test('refuses a signal, and whatever else is no plain object, as the options of a client or a call', () => {
  const client = resolveClientOptions(required, 'undici');
  for (const wrong of [AbortSignal.abort(), 3, 'https://api.example.com', null, undefined] as never[]) {
    expect(() => resolveClientOptions(wrong, 'undici')).toThrow('expected an object of options');
    if (wrong) expect(() => resolveCallOptions(client, wrong)).toThrow('expected an object of options');
  }
});

test.each(['beforeAttempt', 'beforeSend', 'afterAttempt'])('refuses a %s that is no function', (name) => {
  const client = resolveClientOptions(required, 'undici');
  for (const wrong of ['log', null, {}]) {
    expect(() => resolveClientOptions({ ...required, [name]: wrong }, 'undici')).toThrow(TypeError);
    expect(() => resolveCallOptions(client, { [name]: wrong })).toThrow(`${name}: pass a function`);
  }
});
