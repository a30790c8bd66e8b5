import { expect, test } from 'vitest';
import { parseBaseUrl } from './base-url.ts';

test.each([
  ['https://api.example.com', { origin: 'https://api.example.com', prefix: '' }],
  ['https://api.example.com/', { origin: 'https://api.example.com', prefix: '' }],
  ['https://api.example.com/orders//', { origin: 'https://api.example.com', prefix: '/orders' }],
  ['http://127.0.0.1:4010', { origin: 'http://127.0.0.1:4010', prefix: '' }],
  ['http://localhost:4010', { origin: 'http://localhost:4010', prefix: '' }],
  ['http://[::1]:4010', { origin: 'http://[::1]:4010', prefix: '' }],
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
