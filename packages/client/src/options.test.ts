import { expect, expectTypeOf, test } from 'vitest';
import {
  type CallOptions,
  type callOptionNames,
  checkHeaders,
  clientOptionNames,
  type OrdersClientOptions,
  parseBaseUrl,
  resolveClientOptions,
} from './options.ts';

test.each([
  ['https://api.example.com', { origin: 'https://api.example.com', host: 'api.example.com', prefix: '' }],
  ['https://api.example.com/', { origin: 'https://api.example.com', host: 'api.example.com', prefix: '' }],
  [
    'https://api.example.com/orders//',
    { origin: 'https://api.example.com', host: 'api.example.com', prefix: '/orders' },
  ],
  ['http://127.0.0.1:4010', { origin: 'http://127.0.0.1:4010', host: '127.0.0.1:4010', prefix: '' }],
  ['http://localhost:4010', { origin: 'http://localhost:4010', host: 'localhost:4010', prefix: '' }],
  ['http://[::1]:4010', { origin: 'http://[::1]:4010', host: '[::1]:4010', prefix: '' }],
])('reads %s', (url, parsed) => {
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
])('refuses %j and says what to write', (url, message) => {
  expect(() => parseBaseUrl(url, false)).toThrow(TypeError);
  expect(() => parseBaseUrl(url, false)).toThrow(message);
});

test('takes plain http to another machine when told so', () => {
  expect(parseBaseUrl('http://api.example.com', true).origin).toBe('http://api.example.com');
});

test('shows no credentials of the URL it refuses', () => {
  expect(() => parseBaseUrl('https://swordfish:pw@api.example.com', false)).not.toThrow(/swordfish|pw/);
});

test('takes linear time, however many slashes', () => {
  const start = performance.now();
  expect(parseBaseUrl(`https://api.example.com/${'/'.repeat(80_000)}x`, false).prefix).toMatch(/x$/);
  expect(performance.now() - start).toBeLessThan(200);
});

test('takes headers of the user, with names in lower case', () => {
  expect(checkHeaders({ 'X-Shop': 'a b', traceparent: '00-1-2-03' })).toEqual({
    'x-shop': 'a b',
    traceparent: '00-1-2-03',
  });
});

test.each(['Authorization', 'host', 'Content-Type', 'content-length', 'Transfer-Encoding', 'Connection'])(
  'refuses %s, which the client sets itself',
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
  [{ retries: 3 }, 'createOrdersClient over undici: unknown option "retries". Did you mean "retry"?'],
  [{ timeout: 3 }, 'createOrdersClient over undici: unknown option "timeout". Did you mean "timeouts"?'],
  [
    { retry: { maxRetries: 3 } },
    'createOrdersClient over undici: retry: unknown option "maxRetries". Did you mean "maxAttempts"?',
  ],
  [
    { timeouts: { totalMs: 3 } },
    'createOrdersClient over undici: timeouts: unknown option "totalMs". Did you mean "total"?',
  ],
  [{ rateLimit: { requestsPerMinute: 3 } }, 'Did you mean "requestsPerSecond"?'],
  [{ signal: AbortSignal.abort() }, 'createOrdersClient over undici: unknown option "signal". Known: '],
])('refuses the options %o', (wrong, message) => {
  expect(() => resolveClientOptions({ ...required, ...wrong }, 'undici')).toThrow(TypeError);
  expect(() => resolveClientOptions({ ...required, ...wrong }, 'undici')).toThrow(message);
});

test('the lists of known options are complete', () => {
  expectTypeOf<(typeof callOptionNames)[number]>().toEqualTypeOf<keyof CallOptions>();
  expectTypeOf<(typeof clientOptionNames)[number] | 'dispatcher' | 'fetch'>().toEqualTypeOf<
    keyof OrdersClientOptions
  >();
  expect(clientOptionNames).not.toContain('signal');
});
