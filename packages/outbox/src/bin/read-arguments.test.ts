import { expect, test } from 'vitest';
import { type Environment, readArguments } from './read-arguments.ts';

const password = 'wrong-horse';
const databaseUrl = `postgres://user:${password}@db.example/orders`;
const keyed = { apiKey: 'sekret', baseUrl: 'https://api.example.com' };

function read(line: string, env: Partial<Environment> = {}) {
  const words = line === '' ? [] : line.split(' ');
  return readArguments(words, {
    databaseUrl: undefined,
    baseUrl: undefined,
    apiKey: undefined,
    version: '1.2.3',
    ...env,
  });
}

const folder = { where: { folder: '.orders-outbox' }, schema: 'orders_outbox' };

test('work has a default for all but the service and the key', () => {
  expect(read('work', keyed)).toEqual({
    wish: 'work',
    place: folder,
    asJson: false,
    settings: {
      sender: { baseUrl: 'https://api.example.com', apiKey: 'sekret', allowInsecureHttp: false },
      outbox: {},
      graceMs: 10_000,
      listen: { host: '127.0.0.1', port: 4011 },
    },
  });
});

test('reads every option of work', () => {
  const line =
    'work --folder here --schema mine --json --base-url http://far --allow-insecure-http --concurrency 8 --local-concurrency 4 --rate 0.5 --burst 3 --on-unknown resend --on-rejected hold --max-retry-delay 2.5 --keep-settled 0.5 --grace 0.2 --host ::1 --port 0';
  expect(read(line, keyed)).toEqual({
    wish: 'work',
    place: { where: { folder: 'here' }, schema: 'mine' },
    asJson: true,
    settings: {
      sender: { baseUrl: 'http://far', apiKey: 'sekret', allowInsecureHttp: true },
      outbox: {
        concurrency: 8,
        localConcurrency: 4,
        rate: { perSecond: 0.5, burst: 3 },
        onUnknown: 'resend',
        onRejected: 'hold',
        maxRetryDelayMs: 2_500,
        keepSettledMs: 43_200_000,
      },
      graceMs: 200,
      listen: { host: '::1', port: 0 },
    },
  });
});

test('takes a client of the user in place of address and key', () => {
  expect(read('work --client ./own.js --no-metrics', { databaseUrl, ...keyed })).toMatchObject({
    place: { where: { connectionString: databaseUrl } },
    settings: { sender: { file: './own.js' }, listen: undefined },
  });
});

test('refuses empty variables: a secret that is missing must not look like a choice', () => {
  expect(read('status', { databaseUrl: '' })).toEqual({
    wish: 'none',
    mistake: 'DATABASE_URL is empty; give an address, or unset it to use a folder.',
  });
  const env = { baseUrl: '', apiKey: '' };
  expect(read('status', env)).toMatchObject({ place: folder });
  expect(read('work --base-url http://localhost', env)).toMatchObject({ wish: 'none' });
});

test.each([
  ['status', { wish: 'status', once: false, watch: false, asJson: false }],
  ['status --once', { once: true }],
  ['status --json --watch', { watch: true, asJson: true }],
  ['dead', { wish: 'dead', filter: { states: ['parked', 'rejected'] }, limit: 100 }],
  ['dead --json', { limit: Number.POSITIVE_INFINITY }],
  ['dead --json --limit 7', { limit: 7 }],
  ['history ord_1 --json', { limit: 100 }],
  ['dead --parked --limit 7', { filter: { states: ['parked'] }, limit: 7 }],
  ['dead --parked --rejected', { filter: { states: ['parked', 'rejected'] } }],
  ['retry a b a', { wish: 'retry', which: ['a', 'b'] }],
  ['retry --all --rejected --code 401', { which: { states: ['rejected'], code: '401' } }],
  ['discard a --json', { wish: 'discard', which: ['a'], asJson: true }],
  ['show a', { wish: 'show', id: 'a' }],
  ['history ord_1 --limit 3', { wish: 'history', token: 'ord_1', limit: 3 }],
  ['migrate --schema mine', { wish: 'migrate', place: { schema: 'mine' } }],
])('reads %s', (line, wish) => {
  expect(read(line)).toMatchObject(wish);
});

test.each([
  ['', 'Give a command; see --help.'],
  ['wrok', 'There is no such command; see --help.'],
  ['work', "Give the service's address with --base-url or in ORDERS_BASE_URL, or a client with --client."],
  ['work --base-url http://localhost', 'Give the key in ORDERS_API_KEY.'],
  ['work sekret', 'There are too many words; see --help.'],
  ['work --api-key=sekret', "unknown option '--api-key'"],
  ['work --api-key sekret', "unknown option '--api-key'"],
  ['work --port 65536', /--port.*Give a whole number from 0 to 65535\.$/],
  ['work --rate 0', /--rate.*Give a number from 0\.001 to 1000000\.$/],
  ['work --concurrency 1.5', /--concurrency/],
  ['work --grace -1', /--grace/],
  ['work --on-unknown maybe', /--on-unknown.*park, resend\.$/],
  ['work --on-rejected maybe', /--on-rejected.*continue, hold\.$/],
  ['work --burst 3', '--burst goes with --rate.'],
  ['work --no-metrics --port 1', /--no-metrics.*cannot be used with.*--port/],
  ['work --client x --base-url http://localhost', /cannot be used with/],
  ['status --watch', /^--watch goes with --json/],
  ['status --once --watch --json', /cannot be used with/],
  ['status --schema 1;drop', /^--schema: write at most 40/],
  ['status --schema pg_temp', /^--schema: write another name/],
  ['status --schema information_schema', /^--schema: write another name/],
  ['work --client=', '--client is empty; give the path of a module.'],
  ['status --folder=', '--folder is empty; give a path.'],
  ['dead --limit 0', /--limit/],
  ['retry', 'Give the ids of updates, or --all; "dead" lists them.'],
  ['retry a --all', 'Give either ids or --all.'],
  ['discard a --code timeout', '--parked, --rejected and --code go with --all.'],
  ['show', /missing required argument 'id'/],
  ['show a b', 'There are too many words; see --help.'],
])('refuses "%s" in one line that shows no key', (line, mistake) => {
  const { wish, mistake: told } = read(line) as { wish: string; mistake: string };
  expect(wish).toBe('none');
  if (typeof mistake === 'string') expect(told).toBe(mistake);
  else expect(told).toMatch(mistake);
  expect(told).not.toMatch(/\n|sekret/);
});

test('refuses a folder beside DATABASE_URL, without showing the password', () => {
  const { mistake } = read('status --folder here', { databaseUrl }) as { mistake: string };
  expect(mistake).toBe('The outbox is either in --folder or in DATABASE_URL; leave one of them out.');
});

test('prints its version, and help with an example for each command', () => {
  expect(read('--version')).toEqual({ wish: 'print', text: '1.2.3\n' });
  const { text } = read('--help') as { text: string };
  for (const command of ['work', 'status', 'dead', 'retry', 'discard', 'show', 'history', 'migrate']) {
    expect(text).toContain(`  ${command} `);
    const help = (read(`${command} --help`) as { text: string }).text;
    expect(help).toMatch(/Examples:\n {2}.*orders-outbox /);
    expect(help).toContain('--folder');
    expect(help).toContain('ORDERS_API_KEY');
  }
});

test('its examples can be given as they stand', () => {
  for (const command of ['work', 'status', 'dead', 'retry', 'discard', 'show', 'history', 'migrate']) {
    const { text } = read(`${command} --help`) as { text: string };
    const shown = [...text.matchAll(/^ {2}.*?orders-outbox (.*?)(?: \|.*)?$/gm)].map(([, line = '']) => line);
    expect(shown.length).toBeGreaterThan(0);
    for (const line of shown) expect(read(line, keyed)).toMatchObject({ wish: command });
  }
});
