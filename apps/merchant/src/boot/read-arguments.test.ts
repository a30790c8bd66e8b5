import { expect, test } from 'vitest';
import { readArguments } from './read-arguments.ts';

test('starts a desk and an order service of its own by default', () => {
  expect(readArguments([], undefined)).toEqual({
    wish: 'start',
    settings: { port: 4000, host: '127.0.0.1', service: { kind: 'own', port: 4010 } },
  });
});

test('talks to another order service with the key of the environment', () => {
  const words = ['--base-url', 'https://orders.example', '--order', 'a', '--order', 'b', '--order', 'a'];
  expect(readArguments(words, 'secret')).toMatchObject({
    settings: {
      service: { kind: 'other', baseUrl: 'https://orders.example', apiKey: 'secret', tokens: ['a', 'b'] },
    },
  });
});

test.each([
  [['--port', '65536']],
  [['--port', '4e3']],
  [['--service-port', '-1']],
  [['--host', '']],
  [['--base-url', 'orders.example']],
  [['--base-url', 'https://orders.example']],
  [['--order', 'a']],
  [['--order', '..']],
  [['--bogus']],
  [['extra']],
])('tells a mistake in one line: %j', (words) => {
  const wanted = readArguments(words, undefined);
  expect(wanted.wish).toBe('none');
  expect(wanted.wish === 'none' && wanted.mistake).toMatch(/^[^\n]{10,}$/);
});

test('prints its options', () => {
  expect(readArguments(['--help'], undefined)).toMatchObject({
    wish: 'print',
    text: expect.stringContaining('--service-port <number>'),
  });
});
