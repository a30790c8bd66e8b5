import { expect, test } from 'vitest';
import { readArguments } from './read-arguments.ts';

const read = (words: readonly string[], key?: string) => readArguments(words, { key, version: '1.2.3' });

test('has a default for everything', () => {
  expect(read([])).toEqual({
    wish: 'start',
    settings: { port: 4010, host: '127.0.0.1', keys: [], orders: 5, latencyMs: 0, log: false },
  });
});

test('reads every option', () => {
  const words = '--port 0 --host ::1 --key a --key b:ReportApiKey --orders 7 --latency 50 --log'.split(' ');
  expect(read(words, 'c:Other')).toEqual({
    wish: 'start',
    settings: {
      port: 0,
      host: '::1',
      keys: [{ key: 'a' }, { key: 'b', type: 'ReportApiKey' }, { key: 'c', type: 'Other' }],
      orders: 7,
      latencyMs: 50,
      log: true,
    },
  });
});

test('takes an empty ORDERS_SERVICE_KEY for none', () => {
  expect(read([], '')).toMatchObject({ settings: { keys: [] } });
});

test.each([
  ['--port', 'x'],
  ['--port', '65536'],
  ['--port', '-1'],
  ['--port', '1e3'],
  ['--port', ''],
  ['--orders', '0'],
  ['--orders', '1.5'],
  ['--latency', '-5'],
  ['--latency', '9999999999'],
  ['--host', ''],
])('refuses %s "%s" in one line', (...words) => {
  const { mistake } = read(words) as { mistake: string };
  expect(mistake).toMatch(/^\S.*\.$/);
  expect(mistake).toContain(words[0]);
});

test.each([
  [['--key', 'sekret:a:b'], '--key number 1 is not of the form <key> or <key>:<type>.'],
  [['--key', 'x', '--key', 'sekret:'], '--key number 2 is not of the form <key> or <key>:<type>.'],
  [['--key', 'sek\nret'], '--key number 1 holds a control character, which HTTP Basic forbids.'],
  [['--key', ':sekret'], '--key number 1 is empty.'],
  [['--key', 'sekret', '--key', 'sekret:Other'], 'A key is given twice.'],
  [['sekret'], 'Every argument is an option; see --help.'],
  [['--kye=sekret'], "unknown option '--kye'"],
  [['--kye', 'sekret'], "unknown option '--kye'"],
])('refuses %j without showing a key', (words, mistake) => {
  expect(read(words)).toEqual({ wish: 'none', mistake });
});

test('names the environment variable whose key is wrong', () => {
  expect(read([], 'a:b:c')).toEqual({
    wish: 'none',
    mistake: 'ORDERS_SERVICE_KEY is not of the form <key> or <key>:<type>.',
  });
});

test('prints its help and its version', () => {
  expect(read(['--version'])).toEqual({ wish: 'print', text: '1.2.3\n' });
  const { text } = read(['--help']) as { text: string };
  for (const option of [
    '--port',
    '--host',
    '--key',
    '--orders',
    '--latency',
    '--log',
    '--help',
    '--version',
  ]) {
    expect(text).toContain(option);
  }
});
