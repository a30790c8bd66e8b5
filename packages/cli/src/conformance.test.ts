import { conformanceCases } from '@orders/testing/conformance';
import { expect, onTestFinished, test, vi } from 'vitest';
import { insideTestLimitMs } from '../../../.ci/limits.ts';
import { startIndependentService } from '../../testing/test/conformance/independent-service.ts';
import { KEY, OTHER_KEY, startMockService } from '../../testing/test/conformance/mock-service.ts';
import { startServer } from '../../testing/test/conformance/servers.ts';
import { runHere } from '../test/run-here.ts';
import { createFolder } from '../test/run-orders.ts';

const keys = { ORDERS_API_KEY: KEY, ORDERS_OTHER_API_KEY: OTHER_KEY };

// A busy machine may take longer than the default time limit.
const timeout = ['--timeout', `${insideTestLimitMs}ms`];
const run = (words: readonly string[], env: Readonly<Record<string, string>> = keys) =>
  runHere(['conformance', ...timeout, ...words], { env });

test('prints a line for each case, and exits with 0 when every case passes', async () => {
  const { service, options } = await startMockService();
  await using _ = service;
  const { code, stdout, stderr } = await run([
    ...['--base-url', service.url, '--token', service.token, '--disposable', '--currency', 'EUR'],
    ...['--names', JSON.stringify(options.names), '--shipping-address', '{"city":"Oslo"}'],
  ]);
  const total = conformanceCases.length;
  expect(stdout).toContain(`${service.url}: ${total} passed, 0 failed, 0 inconclusive, 0 skipped.\n`);
  for (const { id } of conformanceCases) expect(stdout).toContain(`pass          ${id} `);
  // Neither colours nor progress where the output is no terminal.
  expect([code, stderr, stdout.includes('\u001b')]).toEqual([0, '', false]);
});

test('changes nothing without --disposable, and prints so', async () => {
  const { service } = await startMockService();
  await using _ = service;
  await using folder = await createFolder({ key: KEY });
  const words = [service.url, '--token', service.token, '--api-key-file', folder.file('key')];
  const { code, stdout } = await run(words, {});
  expect(code).toBe(0);
  expect(stdout).toMatch(/Skipped \d+: could change the order, which is not declared disposable\./);
  expect(service.ledger).toEqual([]);
});

test('exits with 1 when a case fails, unless it is only implied and --implied is warn', async () => {
  await using implied = await startIndependentService('refuses-hooks-as-string');
  await using stated = await startIndependentService('refuses-body-not-json');
  const wordsFor = ({ options }: typeof implied, ...more: string[]) => [
    ...['--base-url', options.baseUrl, '--token', options.orderToken ?? '', '--disposable'],
    ...['--only', 'refuses-hooks-as-string, refuses-body-not-json', ...more],
  ];
  const env = { ORDERS_API_KEY: implied.options.apiKey };
  const [failing, warning, failingAnyway] = await Promise.all([
    run(wordsFor(implied), env),
    run(wordsFor(implied, '--implied', 'warn'), env),
    run(wordsFor(stated, '--implied', 'warn'), env),
  ]);
  expect([failing.code, warning.code, failingAnyway.code]).toEqual([1, 0, 1]);
  expect(failing.stdout).toContain('\nrefuses-hooks-as-string: ');
  expect(warning.stdout).toContain('1 failed (1 of them only implied)');
});

test('exits with 3 when a case is inconclusive and none fails, or when none runs', async () => {
  await using service = await startServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    response.writeHead(body.includes('require_shipping') ? 503 : 200).end();
  });
  await using stalled = await startServer(() => {});
  const words = ['--base-url', service.url, '--token', 'ord_1', '--disposable'];
  const both = [...words, '--only', 'accepts-require-shipping,refuses-hooks-as-string'];
  const [failing, warning, none, silent] = await Promise.all([
    run(both),
    run([...both, '--implied', 'warn']),
    run([...words, '--only', 'accepts-hooks', '--skip', 'accepts-hooks']),
    run(['--base-url', stalled.url, '--timeout', '40ms', '--only', 'echo-accepts-key']),
  ]);
  expect([failing.code, warning.code, none.code, silent.code]).toEqual([1, 3, 3, 3]);
  expect(silent.stdout).toContain('no complete response within 40 ms');
});

test('prints the report as JSON, without a key that the service echoes', async () => {
  await using service = await startServer((request, response) =>
    response.writeHead(200).end(`${request.headers.authorization} ${KEY}`),
  );
  const { stdout } = await run(['--base-url', service.url, '--json', '--only', 'echo-accepts-key']);
  expect(JSON.parse(stdout)).toMatchObject({
    baseUrl: service.url,
    counts: { pass: 1, fail: 0, inconclusive: 0, skipped: 0 },
    results: [{ id: 'echo-accepts-key', actual: { excerpt: '[redacted] [redacted]' } }],
  });
});

test('a mistake is one line that names the option and holds no key, and exits with 2', async () => {
  const base = ['https://api.example.com'];
  const rows: [words: string[], message: string, env?: Record<string, string>][] = [
    [['http://api.example.com'], 'or set --allow-insecure-http.'],
    [base, 'ORDERS_API_KEY holds a control character', { ORDERS_API_KEY: 'mock-sales\nkey' }],
    [
      base,
      'ORDERS_OTHER_API_KEY is the same as ORDERS_API_KEY',
      { ORDERS_API_KEY: KEY, ORDERS_OTHER_API_KEY: KEY },
    ],
    [base, 'Set ORDERS_API_KEY', {}],
    [[...base, '--disposable'], '--disposable needs the --token'],
    [[...base, '--names', '[]'], '--names'],
    [[...base, '--only', 'none'], '--only: there is no case "none".'],
    [[], 'Write its URL, or set ORDERS_BASE_URL.'],
    [[KEY], 'The base URL: write a whole URL'],
  ];
  for (const [words, message, env] of rows) {
    const { code, stdout, stderr } = await run(words, env);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^orders: .*\n$/);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/mock-sales/);
  }
});

test('lists every case, and sends nothing', async () => {
  const [plain, json] = await Promise.all([run(['--list'], {}), run(['--list', '--json'], {})]);
  for (const { id, title } of conformanceCases) expect(plain.stdout).toContain(`${id}\n  ${title} (`);
  expect(JSON.parse(json.stdout)).toEqual(JSON.parse(JSON.stringify(conformanceCases)));
});

test('prints colours with FORCE_COLOR, and none with NO_COLOR', async () => {
  const { service } = await startMockService();
  await using _ = service;
  onTestFinished(() => void vi.unstubAllEnvs());
  const only = [service.url, '--only', 'echo-accepts-key'];
  vi.stubEnv('FORCE_COLOR', '1');
  expect((await run(only)).stdout).toContain('\u001b[32mpass');
  vi.stubEnv('FORCE_COLOR', undefined);
  vi.stubEnv('NO_COLOR', '1');
  expect((await run(only)).stdout).not.toContain('\u001b');
});
