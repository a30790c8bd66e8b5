import { expect, test } from 'vitest';
import { readConformanceArguments } from './conformance-arguments.ts';

const env = { key: 'sekret', otherKey: undefined, version: '1.2.3' };
const read = (words: readonly string[], more: Partial<typeof env> = {}) =>
  readConformanceArguments(words, { ...env, ...more });
const base = ['--base-url', 'https://api.example.com'];

test('needs a base URL and a key', () => {
  expect(read([])).toEqual({ wish: 'none', mistake: "Give the service's address with --base-url." });
  for (const key of [undefined, '']) {
    expect(readConformanceArguments(base, { ...env, key })).toEqual({
      wish: 'none',
      mistake: 'Give the key in ORDERS_API_KEY, or with --key.',
    });
  }
});

test('without more, changes nothing and takes the key of the environment', () => {
  expect(read(base)).toEqual({
    wish: 'run',
    options: {
      baseUrl: 'https://api.example.com',
      apiKey: 'sekret',
      disposable: false,
      names: {},
      skip: [],
      timeoutMs: 10_000,
      allowInsecureHttp: false,
    },
    shown: { asJson: false, implied: 'fail' },
  });
});

test('takes everything at once', () => {
  const words = [
    ...[
      '--base-url',
      'http://api.example.com',
      '--allow-insecure-http',
      '--key',
      'first',
      '--other-key',
      'second',
    ],
    ...['--token', 'ord_1', '--disposable', '--currency', 'EUR', '--shipping-address', '{"city":"Oslo"}'],
    ...['--name', 'metadata=meta_1', '--name', 'metadata=meta_2', '--name', 'total=t'],
    ...['--name', 'vat=v', '--name', 'qr-session=a=b'],
    ...['--only', 'accepts-hooks, accepts-order-id', '--only', 'echo-accepts-key', '--skip', 'accepts-hooks'],
    ...['--timeout', '500', '--json', '--implied', 'warn'],
  ];
  expect(read(words)).toEqual({
    wish: 'run',
    options: {
      baseUrl: 'http://api.example.com',
      apiKey: 'first',
      otherTypeKey: 'second',
      orderToken: 'ord_1',
      disposable: true,
      currency: 'EUR',
      shippingAddress: { city: 'Oslo' },
      names: { metadata: ['meta_1', 'meta_2'], totalAmount: 't', vatAmount: 'v', qrSessionId: 'a=b' },
      only: ['accepts-hooks', 'accepts-order-id', 'echo-accepts-key'],
      skip: ['accepts-hooks'],
      timeoutMs: 500,
      allowInsecureHttp: true,
    },
    shown: { asJson: true, implied: 'warn' },
  });
});

test('takes the key of another type from the environment', () => {
  const wanted = readConformanceArguments(base, { ...env, otherKey: 'other' });
  expect(wanted).toMatchObject({ wish: 'run', options: { otherTypeKey: 'other' } });
});

test.each([
  [['--timeout', '0'], '--timeout'],
  [['--timeout', '1e3'], '--timeout'],
  [['--timeout', ''], '--timeout'],
  [['--only', 'accepts-hook'], '--only'],
  [['--skip', 'accepts-hooks,'], '--skip'],
  [['--name', 'total'], '--name'],
  [['--name', 'amount=x'], '--name'],
  [['--name', 'total=a', '--name', 'total=b'], 'once too often'],
  [['--name', 'total=cart'], 'cart'],
  [['--name', 'total='], 'named ""'],
  [['--shipping-address', '[]'], '--shipping-address'],
  [['--shipping-address', '{'], '--shipping-address'],
  [['--implied', 'no'], '--implied'],
  [['--disposable'], '--token'],
  [['--token', '..'], '--token'],
  [['--currency', ''], '--currency'],
  [['--base-url', 'api.example.com'], '--base-url'],
  [['--base-url', 'http://api.example.com'], '--base-url: plain http'],
  [['--base-url', 'https://sekret@api.example.com'], '--base-url holds credentials'],
  [['--key', 'sekret:'], 'ORDERS_API_KEY or --key holds a colon'],
  [['--key', 'sek\nret'], 'ORDERS_API_KEY or --key holds a control character'],
  [['--other-key', 'sekret'], '--other-key is the same as ORDERS_API_KEY or --key'],
  [['sekret'], 'Every argument is an option; see --help.'],
  [['--kye=sekret'], "unknown option '--kye'"],
  [['--kye', 'sekret'], "unknown option '--kye'"],
])('refuses %j in one line that shows no key', (words, part) => {
  const wanted = read([...base, ...words]);
  expect(wanted).toEqual({ wish: 'none', mistake: expect.stringContaining(part) });
  const { mistake } = wanted as { mistake: string };
  expect(mistake).not.toMatch(/\n|sekret|sek ret/);
});

test('lists the cases without a service', () => {
  expect(read(['--list'])).toEqual({ wish: 'list', asJson: false });
  expect(read(['--list', '--json'])).toEqual({ wish: 'list', asJson: true });
});

test('prints its help, exit codes included, and its version', () => {
  expect(read(['--version'])).toEqual({ wish: 'print', text: '1.2.3\n' });
  const { text } = read(['--help']) as { text: string };
  for (const part of [
    '--base-url',
    '--disposable',
    '--implied',
    'Ends with 0',
    '1 when',
    '2 for',
    '3 when',
  ]) {
    expect(text).toContain(part);
  }
});
