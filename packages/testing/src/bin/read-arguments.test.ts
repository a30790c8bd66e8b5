import { expect, test } from 'vitest';
import { readArguments } from './read-arguments.ts';

const read = (words: readonly string[], key?: string) => readArguments(words, { key, version: '1.2.3' });

test('has a default for everything', () => {
  expect(read([])).toEqual({
    wish: 'start',
    settings: {
      port: 4010,
      host: '127.0.0.1',
      keys: [],
      orders: 5,
      latencyMs: 0,
      maxBodyBytes: 1_048_576,
      historyLimit: 10_000,
      faults: [],
      control: false,
      log: false,
    },
  });
});

test('reads every option', () => {
  const words =
    '--port 0 --host ::1 --key a --key b:ReportApiKey --orders 7 --latency 50 --log --control'.split(' ');
  const more = [
    '--max-body',
    '2048',
    '--history',
    '9',
    '--fault',
    '{"when":"next","play":{"fault":"empty"}}',
  ];
  expect(read([...words, ...more], 'c:Other')).toEqual({
    wish: 'start',
    settings: {
      port: 0,
      host: '::1',
      keys: [{ key: 'a' }, { key: 'b', type: 'ReportApiKey' }, { key: 'c', type: 'Other' }],
      orders: 7,
      latencyMs: 50,
      maxBodyBytes: 2_048,
      historyLimit: 9,
      faults: [{ when: 'next', play: { fault: 'empty' } }],
      control: true,
      log: true,
    },
  });
});

test('takes a fault by itself for one that always happens, and keeps the order of all', () => {
  const words = [
    '--fault',
    '{"fault":"status","status":503}',
    '--fault',
    '{"when":"always","play":{"fault":"none"}}',
  ];
  expect(read(words)).toMatchObject({
    settings: {
      faults: [
        { when: 'always', play: { fault: 'status', status: 503 } },
        { when: 'always', play: { fault: 'none' } },
      ],
    },
  });
});

test.each([
  ['{fault:status}', /^--fault number 2 is not JSON; put it in single quotes\.$/],
  ['', /^--fault number 2 is not JSON/],
  ['503', /^--fault number 2: A rule is an object whose field "when" is .+\.$/],
  ['null', /^--fault number 2: A rule is an object/],
  ['[]', /^--fault number 2: A rule is an object/],
  ['{"fault":"staus"}', /^--fault number 2: A fault is an object whose field "fault" names it: .+\.$/],
  [
    '{"fault":"status","status":42}',
    '--fault number 2: The fault status: status must be a whole number from 200 to 999.',
  ],
  ['{"when":"next","fault":"none"}', /^--fault number 2: next: unknown option "fault"\. /],
  ['{"fault":"status"}', /^--fault number 2: The fault status: status must be /],
  [
    '{"when":"next","play":{"fault":"none"},"time\\n":2}',
    /^--fault number 2: next: unknown option "time\\n"\. .+$/,
  ],
])('refuses --fault %s in one line', (text, message) => {
  const { mistake } = read(['--fault', '{"fault":"none"}', '--fault', text]) as { mistake: string };
  expect(mistake).toMatch(message);
  expect(mistake).not.toMatch(/\n/);
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
  ['--max-body', '-1'],
  ['--max-body', '1MB'],
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
    '--max-body',
    '--fault',
    '--control',
    '--log',
    '--help',
    '--version',
  ]) {
    expect(text).toContain(option);
  }
});

test('its help shows faults that can be given as they stand', () => {
  const { text } = read(['--help']) as { text: string };
  const shown = text.match(/(?<=--fault ')\{.*\}(?=')/g) ?? [];
  expect(shown.length).toBeGreaterThan(2);
  for (const fault of shown) expect(read(['--fault', fault])).toMatchObject({ wish: 'start' });
});
