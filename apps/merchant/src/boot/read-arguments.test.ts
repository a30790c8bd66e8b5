import { expect, test } from 'vitest';
import { readArguments } from './read-arguments.ts';

const withKey = { ORDERS_API_KEY: 'secret' };
const withDatabase = { DATABASE_URL: 'postgresql://me:pass@db.example/desk' };

test('starts a desk and an order service of its own by default', () => {
  expect(readArguments([], {})).toEqual({
    wish: 'start',
    settings: {
      port: 4000,
      host: '127.0.0.1',
      data: { folder: '.merchant-desk/own' },
      sendsThrough: 'client',
      service: { kind: 'own', port: 8402 },
    },
  });
});

test('talks to another order service with the key of the environment', () => {
  const words = ['--base-url', 'https://orders.example', '--order', 'a', '--order', 'b', '--order', 'a'];
  expect(readArguments(words, withKey)).toMatchObject({
    settings: {
      service: { kind: 'other', baseUrl: 'https://orders.example', apiKey: 'secret', tokens: ['a', 'b'] },
    },
  });
});

test.each([
  ['https://orders.example', '.merchant-desk/orders.example'],
  ['https://orders.example/', '.merchant-desk/orders.example'],
  ['http://127.0.0.1:8402', '.merchant-desk/127.0.0.1_8402'],
  ['https://orders.example/../a/b', '.merchant-desk/orders.example_a_b'],
  ['http://[::1]:8402', '.merchant-desk/_1_8402'],
])('keeps what it knows of %s in %s', (baseUrl, folder) => {
  expect(readArguments(['--base-url', baseUrl], withKey)).toMatchObject({ settings: { data: { folder } } });
});

test('keeps everything where it is told to', () => {
  expect(readArguments(['--data', 'a b'], {})).toMatchObject({ settings: { data: { folder: 'a b' } } });
  expect(readArguments(['--memory'], {})).toMatchObject({ settings: { data: 'memory' } });
  expect(readArguments([], withDatabase)).toMatchObject({
    settings: { data: { databaseUrl: withDatabase.DATABASE_URL } },
  });
  expect(readArguments([], { DATABASE_URL: '' })).toMatchObject({
    settings: { data: { folder: expect.any(String) } },
  });
});

test('sends through an outbox when told to', () => {
  expect(readArguments(['--outbox', '--memory'], {})).toMatchObject({
    settings: { sendsThrough: 'outbox', data: 'memory' },
  });
});

test('is reached at a public address', () => {
  expect(readArguments(['--public-url', 'https://desk.example/a/'], {})).toMatchObject({
    settings: { publicUrl: 'https://desk.example/a' },
  });
});

test.each([
  [['--port', '65536']],
  [['--port', '4e3']],
  [['--service-port', '-1']],
  [['--host', '']],
  [['--base-url', 'orders.example']],
  [['--base-url', 'https://orders.example']],
  [['--public-url', 'desk.example']],
  [['--public-url', 'https://desk.example?a']],
  [['--data', '']],
  [['--data', 'a', '--memory']],
  [['--order', 'a']],
  [['--order', '..']],
  [['--bogus']],
  [['extra']],
])('tells a mistake in one line: %j', (words) => {
  const wanted = readArguments(words, {});
  expect(wanted.wish).toBe('none');
  expect(wanted.wish === 'none' && wanted.mistake).toMatch(/^[^\n]{10,}$/);
});

test.each(['--data=folder', '--memory'])('does not choose between DATABASE_URL and %s', (word) => {
  const wanted = readArguments([word], withDatabase);
  expect(wanted).toMatchObject({ wish: 'none', mistake: expect.stringContaining('DATABASE_URL') });
  expect(JSON.stringify(wanted)).not.toContain('pass');
});

test('prints its options', () => {
  expect(readArguments(['--help'], {})).toMatchObject({
    wish: 'print',
    text: expect.stringContaining('--service-port <number>'),
  });
});
