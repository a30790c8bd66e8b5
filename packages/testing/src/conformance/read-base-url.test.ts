import { expect, test } from 'vitest';
import { readBaseUrl } from './read-base-url.ts';

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com'],
  ['https://api.example.com/staging//', 'https://api.example.com/staging'],
  ['http://localhost:4010', 'http://localhost:4010'],
  ['http://127.0.0.2:4010', 'http://127.0.0.2:4010'],
  ['http://[::1]:4010', 'http://[::1]:4010'],
])('reads %s as %s', (input, base) => {
  expect(readBaseUrl(input, false)).toBe(base);
});

test.each([
  ['api.example.com', /whole address/],
  ['ftp://api.example.com', /whole address/],
  ['', /whole address/],
  ['https://sekret@api.example.com', /credentials/],
  ['https://:sekret@api.example.com', /credentials/],
  ['https://api.example.com?key=sekret', /query/],
  ['https://api.example.com#sekret', /fragment/],
  ['http://api.example.com', /plain http .* api\.example\.com/],
  ['http://localhost.example.com', /plain http/],
  ['http://128.0.0.1', /plain http/],
])('refuses %s', (input, message) => {
  expect(() => readBaseUrl(input, false)).toThrow(TypeError);
  expect(() => readBaseUrl(input, false)).toThrow(message);
  expect(() => readBaseUrl(input, false)).not.toThrow(/sekret/);
});

test('takes plain http to another machine with leave', () => {
  expect(readBaseUrl('http://api.example.com/', true)).toBe('http://api.example.com');
});
