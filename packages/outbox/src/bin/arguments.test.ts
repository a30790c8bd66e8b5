import { expect, test } from 'vitest';
import { type Environment, type GivenCommand, parseArguments } from './arguments.ts';

const password = 'wrong-horse';
const DATABASE_URL = `postgres://user:${password}@db.example/orders`;
const sender = { ORDERS_API_KEY: 'sekret', ORDERS_BASE_URL: 'https://api.example.com' };
const names = [
  'start',
  'status',
  'list',
  'show',
  'history',
  'retry',
  'discard',
  'resolve',
  'resume',
  'migrate',
];

function parse(line: string, env: Environment = {}): GivenCommand | string {
  return parseArguments(line === '' ? [] : line.split(' '), env, '1.2.3');
}

function messageOf(line: string, env: Environment = {}): string {
  try {
    parse(line, env);
  } catch (error) {
    expect(error).toMatchObject({ name: 'CommandError', exitCode: 2 });
    return (error as Error).message;
  }
  throw new Error(`It accepts: ${line}`);
}

test('start has a default for all but the store, the service and the key', () => {
  expect(parse('start --folder here', sender)).toEqual({
    name: 'start',
    args: [],
    place: { folder: 'here', databaseSchema: 'orders_outbox' },
    options: {
      folder: 'here',
      databaseSchema: 'orders_outbox',
      metrics: true,
      metricsHost: '127.0.0.1',
      metricsPort: 4011,
    },
  });
});

test('parses every option of start, durations in milliseconds', () => {
  const line =
    'start --folder here --database-schema mine --json --base-url http://far --allow-insecure-http --concurrency 8 --local-concurrency 4 --rate 0.5 --burst 3 --on-unknown resend --on-rejected hold --max-retry-delay 2.5s --keep-settled 12h --keep-rejected 7d --grace 200ms --metrics-host ::1 --metrics-port 0';
  expect(parse(line, sender)).toMatchObject({
    place: { folder: 'here', databaseSchema: 'mine' },
    options: {
      json: true,
      baseUrl: 'http://far',
      allowInsecureHttp: true,
      concurrency: 8,
      localConcurrency: 4,
      rate: 0.5,
      burst: 3,
      onUnknown: 'resend',
      onRejected: 'hold',
      maxRetryDelay: 2_500,
      keepSettled: 43_200_000,
      keepRejected: 604_800_000,
      grace: 200,
      metricsHost: '::1',
      metricsPort: 0,
    },
  });
});

test('the store is a folder, a flag or DATABASE_URL, and never a guess', () => {
  const connectionString = DATABASE_URL;
  expect(parse('status', { DATABASE_URL })).toMatchObject({ place: { connectionString } });
  expect(parse(`status --database-url ${connectionString}`)).toMatchObject({ place: { connectionString } });
  for (const name of ['status', 'migrate', 'start --base-url http://localhost'])
    expect(messageOf(name, { ORDERS_API_KEY: 'sekret' })).toMatch(
      /^Write where the outbox is: --database-url/,
    );
  expect(messageOf('status', { DATABASE_URL: '' })).toMatch(/^DATABASE_URL is empty/);
  for (const message of [
    messageOf('status --folder here', { DATABASE_URL }),
    messageOf(`status --folder here --database-url ${DATABASE_URL}`),
  ]) {
    expect(message).toMatch(/--folder/);
    expect(message).not.toContain(password);
  }
});

test('a client of the user replaces URL and key', () => {
  expect(parse('start --client ./own.js --no-metrics', { DATABASE_URL })).toMatchObject({
    options: { client: './own.js', metrics: false },
  });
});

test.each([
  ['status --watch --json', { options: { watch: true, json: true } }],
  ['list --needs-review --limit 7', { options: { needsReview: true, limit: 7 } }],
  [
    'retry a b a --by ada --note why',
    { name: 'retry', args: ['a', 'b'], options: { by: 'ada', note: 'why' } },
  ],
  ['retry --all --rejected --code 401', { args: [], options: { all: true, rejected: true, code: '401' } }],
  ['discard --all --yes', { options: { all: true, yes: true } }],
  ['resolve a b', { name: 'resolve', args: ['a', 'b'] }],
  ['show a', { name: 'show', args: ['a'] }],
  ['history ord_1 --limit 3', { args: ['ord_1'], options: { limit: 3 } }],
])('parses %s', (line, given) => {
  expect(parse(line, { DATABASE_URL })).toMatchObject(given);
});

test.each([
  ['', /^Write a command; see --help\.$/],
  ['sekret', /^There is no such command; see --help\.$/],
  ['start', /^Write --base-url or set ORDERS_BASE_URL/],
  ['start --base-url http://localhost', /^Set ORDERS_API_KEY\.$/],
  ['start sekret', /too many arguments/],
  ['start --api-key=sekret', /^unknown option '--api-key'$/],
  ['start --api-key sekret', /^unknown option '--api-key'$/],
  ['start --metrics-port 65536', /--metrics-port.*Write a whole number from 0 to 65535\.$/],
  ['start --rate 0', /--rate.*Write a number from 0\.001 to 1000000\.$/],
  ['start --concurrency 1.5', /--concurrency.*whole number/],
  ['start --grace 10', /--grace.*such as 500ms, 30s, 5m, 2h or 7d\.$/],
  ['start --grace 25h', /--grace.*at most 1d/],
  ['start --grace -1s', /--grace/],
  ['start --on-unknown maybe', /--on-unknown.*review, resend\.$/],
  ['start --on-rejected maybe', /--on-rejected.*continue, hold\.$/],
  ['start --burst 3', /^--burst needs --rate\.$/],
  ['start --no-metrics --metrics-port 1', /--no-metrics.*cannot be used with.*--metrics-port/],
  ['start --client x --base-url http://localhost', /cannot be used with/],
  ['start --client=', /--client.*It is empty\.$/],
  ['status --folder=', /--folder.*It is empty\.$/],
  ['list --limit 0', /--limit/],
  ['retry', /^Write the ids of updates, or --all; "list" shows them\.$/],
  ['retry a --all', /^Write either ids or --all\.$/],
  ['discard a --code timeout', /need --all\.$/],
  ['retry a --yes', /unknown option '--yes'/],
  ['resolve --all', /unknown option '--all'/],
  ['resolve', /missing required argument 'id'/],
  ['show', /missing required argument 'id'/],
  ['show a b', /too many arguments/],
])('refuses "%s" in one line that shows no key', (line, expected) => {
  const message = messageOf(line, { DATABASE_URL });
  expect(message).toMatch(expected);
  expect(message).not.toMatch(/\n|sekret/);
});

test('prints its version, and help whose examples can be run as they stand', () => {
  expect(parse('--version')).toBe('1.2.3\n');
  const help = parse('--help') as string;
  for (const name of names) {
    expect(help).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(parse(`${name} --help`)).toMatch(/ORDERS_API_KEY[\s\S]*Exit codes/);
  }
  const examples = [...help.matchAll(/^ {2}(.*)orders-outbox (.*)$/gm)];
  expect(examples).toHaveLength(4);
  for (const [, variables = '', line = ''] of examples) {
    const env = variables.includes('DATABASE_URL') ? { DATABASE_URL } : { ORDERS_API_KEY: 'sekret' };
    expect(parse(line.replace(/ "[^"]*"$/, ' x'), env)).toMatchObject({ name: line.split(' ')[0] });
  }
});
