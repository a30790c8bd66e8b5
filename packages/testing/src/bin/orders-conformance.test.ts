import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startIndependentService } from '../../test/conformance/independent-service.ts';
import { KEY, OTHER_KEY, startMockService } from '../../test/conformance/mock-service.ts';
import { startServer } from '../../test/conformance/servers.ts';
import { conformanceCases } from '../conformance.ts';

const file = fileURLToPath(new URL('orders-conformance.ts', import.meta.url));
const keys = { ORDERS_API_KEY: KEY, ORDERS_OTHER_API_KEY: OTHER_KEY };

/** Runs the command as a process of its own, from its source. */
function run(
  words: readonly string[],
  env: NodeJS.ProcessEnv = keys,
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { env: { PATH, NODE_COMPILE_CACHE, ...env }, timeout: 15_000 };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=@orders/source', file, ...words],
      options,
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

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
  const { code, stdout } = await run(['--base-url', service.url, '--token', service.token, '--key', KEY], {});
  expect(code).toBe(0);
  expect(stdout).toMatch(/Skipped \d+: could change the order, which is not declared disposable\./);
  expect(service.ledger).toEqual([]);
});

test('exits with 1 when a case fails, unless it is only implied and --implied is warn', async () => {
  await using implied = await startIndependentService('refuses-hooks-as-string');
  await using stated = await startIndependentService('refuses-body-not-json');
  const wordsFor = ({ options }: typeof implied, ...more: string[]) => [
    ...['--base-url', options.baseUrl, '--token', options.orderToken ?? '', '--disposable'],
    ...['--key', options.apiKey, '--only', 'refuses-hooks-as-string, refuses-body-not-json', ...more],
  ];
  const [failing, warning, failingAnyway] = await Promise.all([
    run(wordsFor(implied)),
    run(wordsFor(implied, '--implied', 'warn')),
    run(wordsFor(stated, '--implied', 'warn')),
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
    run(['--base-url', stalled.url, '--timeout', '40', '--only', 'echo-accepts-key']),
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
  const base = ['--base-url', 'https://api.example.com'];
  const rows: [words: string[], message: string][] = [
    [['--base-url', 'http://api.example.com'], 'or set --allow-insecure-http.'],
    [[...base, '--key', 'mock-sales\nkey'], 'ORDERS_API_KEY or --key holds a control character'],
    [
      [...base, '--other-key', KEY],
      'ORDERS_OTHER_API_KEY or --other-key is the same as ORDERS_API_KEY or --key',
    ],
    [[...base, '--disposable'], '--disposable needs the --token'],
    [[...base, '--names', '[]'], '--names'],
    [[KEY], 'Every argument is an option; see --help.'],
    [[`--kye=${KEY}`], "unknown option '--kye'"],
  ];
  const found = await Promise.all(rows.map(([words]) => run(words)));
  for (const [index, { code, stdout, stderr }] of found.entries()) {
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^orders-conformance: .*\n$/);
    expect(stderr).toContain(rows[index]?.[1]);
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
  const words = ['--base-url', service.url, '--only', 'echo-accepts-key'];
  const [coloured, plain] = await Promise.all([
    run(words, { ...keys, FORCE_COLOR: '1' }),
    run(words, { ...keys, NO_COLOR: '1' }),
  ]);
  expect(coloured.stdout).toContain('\u001b[32mpass');
  expect(plain.stdout).not.toContain('\u001b');
});
