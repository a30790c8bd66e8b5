import { expect, test } from 'vitest';
import { startAnswering } from '../../test/conformance/answering.ts';
import { startIndependentService } from '../../test/conformance/independent-service.ts';
import { KEY, OTHER_KEY, startOwnService } from '../../test/conformance/own-service.ts';
import { runConformanceBin } from '../../test/conformance/run-conformance-bin.ts';
import { conformanceCases } from '../conformance/conformance-cases.ts';

const total = conformanceCases.length;
const named = ['--name', 'metadata=meta_1', '--name', 'metadata=meta_2', '--name', 'total=total'].concat([
  ...['--name', 'vat=vat', '--name', 'qr-session=qr_session'],
  ...['--currency', 'EUR', '--shipping-address', '{"city":"Oslo"}'],
]);
const keys = { ORDERS_API_KEY: KEY, ORDERS_OTHER_API_KEY: OTHER_KEY };

test('prints a table and ends with 0 when all pass', async () => {
  const { service } = await startOwnService();
  await using _ = service;
  const words = ['--base-url', service.url, '--token', service.token, '--disposable', ...named];
  const { code, stdout, stderr } = await runConformanceBin(words, keys);
  expect(stdout).toContain(
    `${service.url}: ${total} passed, 0 differed, 0 could not be judged, 0 skipped.\n`,
  );
  for (const { id } of conformanceCases) expect(stdout).toContain(`│ ${id} `);
  // No colour and no progress where nobody looks.
  expect([code, stderr, stdout.includes('\u001b')]).toEqual([0, '', false]);
  expect(stdout).not.toMatch(/own-\w+-key/);
});

test('changes nothing unless told that the order is disposable, and says so', async () => {
  const { service } = await startOwnService();
  await using _ = service;
  const words = ['--base-url', service.url, '--token', service.token, '--key', KEY];
  const { code, stdout } = await runConformanceBin(words);
  expect(code).toBe(0);
  expect(stdout).toMatch(/Skipped \d+: could change the order, which is not said to be disposable\./);
  expect(service.ledger).toEqual([]);
});

test('ends with 1 when an answer differs, unless what differs is implied and only to be told', async () => {
  await using service = await startIndependentService('refuses-hooks-as-string');
  const { baseUrl, apiKey, orderToken = '' } = service.options;
  const words = ['--base-url', baseUrl, '--token', orderToken, '--disposable'];
  const failing = await runConformanceBin(words, { ORDERS_API_KEY: apiKey });
  expect(failing.code).toBe(1);
  expect(failing.stdout).toContain('\nrefuses-hooks-as-string: ');
  const warning = await runConformanceBin([...words, '--implied', 'warn'], { ORDERS_API_KEY: apiKey });
  expect(warning.code).toBe(0);
  expect(warning.stdout).toContain('1 differed (1 of them implied only)');
});

test('prints the report as JSON', async () => {
  const { service } = await startOwnService();
  await using _ = service;
  const words = ['--base-url', service.url, '--json', '--only', 'echo-accepts-key'];
  const { code, stdout } = await runConformanceBin(words, keys);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    baseUrl: service.url,
    counts: { pass: 1, differs: 0, skipped: 0, error: 0 },
    results: [{ id: 'echo-accepts-key', verdict: 'pass' }],
  });
});

test('ends with 3 and an error for every case when nobody is there', async () => {
  const { service } = await startOwnService();
  await service.close();
  const words = ['--base-url', service.url, '--token', service.token, '--disposable', '--json', ...named];
  const { code, stdout, stderr } = await runConformanceBin(words, keys);
  expect([code, stderr]).toEqual([3, '']);
  expect(JSON.parse(stdout)).toMatchObject({ counts: { pass: 0, differs: 0, skipped: 0, error: total } });
});

test('ends with 3 when a service stalls for longer than --timeout', async () => {
  await using service = await startAnswering(() => {});
  const words = ['--base-url', service.url, '--timeout', '40', '--only', 'echo-accepts-key'];
  const { code, stdout } = await runConformanceBin(words, keys);
  expect(code).toBe(3);
  expect(stdout).toContain('no whole answer came within 40 ms');
});

test('prints no key that a service echoes', async () => {
  await using service = await startAnswering((request, response) =>
    response.writeHead(200).end(`${request.headers.authorization} ${KEY}`),
  );
  for (const more of [[], ['--json']]) {
    const words = ['--base-url', service.url, '--token', 'ord_0123456789', '--disposable', ...more];
    const { stdout } = await runConformanceBin(words, keys);
    expect(stdout).toContain('[key]');
    for (const key of [KEY, OTHER_KEY]) {
      expect(stdout).not.toContain(key);
      expect(stdout).not.toContain(btoa(`${key}:`));
    }
  }
});

test('tells of a mistake in one line, and ends with 2', async () => {
  const { code, stdout, stderr } = await runConformanceBin(['--base-url', 'http://api.example.com'], keys);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^orders-conformance: --base-url: plain http .*\n$/);
});

test('lists every case', async () => {
  const { code, stdout } = await runConformanceBin(['--list', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(conformanceCases)));
  const table = await runConformanceBin(['--list']);
  for (const { id } of conformanceCases) expect(table.stdout).toContain(`│ ${id} `);
});

test('colours on demand, and not under NO_COLOR', async () => {
  const { service } = await startOwnService();
  await using _ = service;
  const words = ['--base-url', service.url, '--only', 'echo-accepts-key'];
  expect((await runConformanceBin(words, { ...keys, FORCE_COLOR: '1' })).stdout).toContain('\u001b[32mpass');
  expect((await runConformanceBin(words, { ...keys, NO_COLOR: '1' })).stdout).not.toContain('\u001b');
});
