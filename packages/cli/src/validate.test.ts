import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { quickly } from '../../../.ci/start-quickly.ts';
import { runIn } from '../test/run-here.ts';
import { createFolder } from '../test/run-orders.ts';

const csv = `token,order_id,cart.items[0].quantity
ord_1,A,1
,"${'x'.repeat(300)}",1
ord_3,B,"1,5"
`;

test('issues have file, row, column, path, what was found and a hint, and are counted by rule', async () => {
  await using folder = await createFolder({
    'a.csv': csv,
    'b.json': '{"cart":{},"orderId":"A"}',
    'c.ndjson': '{"cart":{}}\n{',
  });
  const files = ['a.csv', 'b.json', 'c.ndjson'];
  const { code, stdout } = await runIn(folder, ['validate', ...files, '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    valid: false,
    files: [
      { file: 'a.csv', rows: 3, invalidRows: 2 },
      { file: 'b.json', rows: 1, invalidRows: 1 },
      { file: 'c.ndjson', rows: 2, invalidRows: 1 },
    ],
    issueCount: 5,
    rules: { invalid_token: 1, too_long: 1, not_integer: 1, misspelled: 1, malformed: 1 },
    issues: [
      { file: 'a.csv', row: 3, line: 3, column: 1, path: 'token', message: 'The token is missing' },
      {
        file: 'a.csv',
        row: 3,
        column: 2,
        path: 'order_id',
        code: 'too_long',
        found: expect.stringMatching(/^"x+…$/),
      },
      {
        file: 'a.csv',
        row: 4,
        column: 3,
        path: 'cart.items[0].quantity',
        code: 'not_integer',
        found: '"1,5"',
      },
      { file: 'b.json', line: 1, column: 22, path: 'orderId', hint: 'Did you mean order_id?' },
      { file: 'c.ndjson', row: 2, code: 'malformed' },
    ],
  });
  const text = await runIn(folder, ['validate', ...files, '--limit', '1']);
  expect(text.stdout).toMatch(
    /^a\.csv:3:1 row 3, token \(invalid_token\)\n {2}The token is missing\. Write the order token/,
  );
  expect(text.stdout).toContain('and 4 more: orders validate --limit prints them.');
  expect(text.stdout).toMatch(/\n5 issues by rule:\n( {7}1 {2}\w+\n){5}/);
  expect(text.stdout).toContain('a.csv: 2 invalid of 3 rows\n');
  expect(text.stdout).toContain('c.ndjson: 1 invalid of 2 rows\n');
  expect(text.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('SARIF escapes what would end the path of a file in a URI', async () => {
  await using folder = await createFolder({ 'a #1?.csv': csv });
  const { stdout } = await runIn(folder, ['validate', 'a #1?.csv', '--format', 'sarif']);
  const [result] = JSON.parse(stdout).runs[0].results;
  expect(result.locations[0].physicalLocation.artifactLocation.uri).toBe('a%20%231%3F.csv');
});

test('GitHub gets annotations and other tools SARIF, at the place in the file', async () => {
  await using folder = await createFolder({ 'a,b.csv': csv });
  const github = await runIn(folder, ['validate', 'a,b.csv', '--format', 'github']);
  expect(github.stdout.split('\n')[2]).toBe(
    '::error file=a%2Cb.csv,line=4,col=3,title=not_integer::row 4, cart.items[0].quantity: Found "1,5". Write a whole number such as 2.',
  );
  const sarif = await runIn(folder, ['validate', 'a,b.csv', '--format', 'sarif']);
  const { version, runs } = JSON.parse(sarif.stdout);
  expect(version).toBe('2.1.0');
  expect(runs[0].tool.driver.rules).toContainEqual({ id: 'not_integer' });
  expect(runs[0].results[2]).toEqual({
    ruleId: 'not_integer',
    level: 'error',
    message: { text: 'row 4, cart.items[0].quantity: Found "1,5". Write a whole number such as 2.' },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: 'a,b.csv' }, region: { startLine: 4, startColumn: 3 } },
      },
    ],
  });
});

test('a file without rows is an issue of that file, so that an export that failed does not pass', async () => {
  const files = {
    'empty.csv': '',
    'header.csv': 'token,order_id\n',
    'empty.ndjson': '\n\n',
    'list.json': '[]',
  };
  await using folder = await createFolder(files);
  for (const file of Object.keys(files)) {
    const { code, stdout } = await runIn(folder, ['validate', file]);
    expect([code, stdout]).toEqual([
      1,
      `${file}:1 row 1 (no_rows)\n  The file has no rows.\n\n1 issue by rule:\n       1  no_rows\n\n${file}: no rows\n`,
    ]);
    const json = await runIn(folder, ['validate', file, '--json']);
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
      1,
      {
        valid: false,
        issueCount: 1,
        files: [{ file, rows: 0, invalidRows: 0 }],
        issues: [{ code: 'no_rows' }],
      },
    ]);
  }
});

test('every fault of a file is an issue of that file, in every format, and the others are read', async () => {
  await using folder = await createFolder({
    'quote.csv': 'token,order_id,cart.items[0].name\nt1,A,mug\nt2,B,"5" pipe"\n',
    'latin1.csv': Buffer.from('token,order_id,cart.items[0].name\nt1,A,mug\nt2,Müller,mug\n', 'latin1'),
    'header.csv': 'token,foo\nt1,A\n',
    'list.json': '[{"token":"t1","update":{"cart":{}}},]',
    'last.csv': 'token,cart.items[0].name\nt1,mug\n',
  });
  const files = ['quote.csv', 'latin1.csv', 'header.csv', 'list.json', 'none.csv', '.', 'last.csv'];
  const places = ['quote.csv:3', 'latin1.csv:3', 'header.csv:1', 'list.json:1', 'none.csv:1', '.:1'];
  const { code, stdout } = await runIn(folder, ['validate', ...files, '--json']);
  // Others were checked, though two could not be opened.
  expect(code).toBe(3);
  const report = JSON.parse(stdout);
  expect(
    report.issues.map(({ file, line = 1 }: { file: string; line?: number }) => `${file}:${line}`),
  ).toEqual(places);
  expect(report.files).toMatchObject([
    { rows: 1, malformedRow: 3 },
    { rows: 1, malformedRow: 3 },
    { rows: 0, malformedRow: 1 },
    { rows: 0, malformedRow: 1 },
    { rows: 0, isMissing: true },
    { rows: 0, isMissing: true },
    { file: 'last.csv', rows: 1, invalidRows: 0 },
  ]);
  const github = await runIn(folder, ['validate', ...files, '--format', 'github']);
  expect(
    [...github.stdout.matchAll(/^::error file=([^,]+),line=(\d+)/gm)].map(
      ([, file, line]) => `${file}:${line}`,
    ),
  ).toEqual(places);
  const sarif = JSON.parse((await runIn(folder, ['validate', ...files, '--format', 'sarif'])).stdout);
  expect(
    sarif.runs[0].results.map(
      ({ locations: [{ physicalLocation: at }] }: SarifResult) =>
        `${at.artifactLocation.uri}:${at.region.startLine}`,
    ),
  ).toEqual(places);
  const text = await runIn(folder, ['validate', ...files]);
  expect(text.stdout).toContain(
    'quote.csv: not read to its end, since row 3 is malformed; before it valid: 1 row\n',
  );
  expect(text.stdout).toContain('none.csv: not read\n');
  expect(text.stdout).toContain('last.csv: valid: 1 row\n');
});

interface SarifResult {
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string };
        readonly region: { readonly startLine: number };
      };
    },
  ];
}

test('warnings are printed in every format, and are issues with --strict', async () => {
  await using folder = await createFolder({ 'a.csv': 'token,cart.items[0].sku\nt1,6.93217E+12\n' });
  const validate = (...words: readonly string[]) => runIn(folder, ['validate', 'a.csv', ...words]);
  const text = await validate();
  expect(text.code).toBe(0);
  expect(text.stdout).toMatch(/^a\.csv:2:2 row 2, cart\.items\[0\]\.sku \(warning: shortened_number\)$/m);
  expect(text.stdout).toMatch(/^1 warning by rule:\n {7}1 {2}shortened_number\n\na\.csv: valid: 1 row\n$/m);
  expect((await validate('--format', 'github')).stdout).toMatch(
    /^::warning file=a\.csv,line=2,col=2,title=shortened_number::row 2, /,
  );
  const { runs } = JSON.parse((await validate('--format', 'sarif')).stdout);
  expect(runs[0].results).toMatchObject([{ level: 'warning', ruleId: 'shortened_number' }]);
  expect(JSON.parse((await validate('--json')).stdout)).toMatchObject({
    valid: true,
    issueCount: 0,
    warningCount: 1,
    warnings: [{ row: 2, line: 2, column: 2 }],
  });
  expect(await validate('--strict')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('1 invalid of 1 row'),
  });
});

test('prints more issues than a call has room for arguments', async () => {
  await using folder = await createFolder({
    'a.csv': `token,cart.items[0].quantity\n${'t1,x\n'.repeat(15_000)}`,
  });
  // With the stack that Node has by default, it takes 100,000 issues.
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      ...[...quickly.flags, '--stack-size=250', '--conditions=@orders/source'],
      ...[join(import.meta.dirname, 'main.ts'), 'validate', 'a.csv', '--each-row', '--limit', '15000'],
    ],
    { cwd: folder.path, env: { ...process.env, ...quickly.env }, encoding: 'utf8', maxBuffer: 100_000_000 },
  );
  expect(status).toBe(1);
  expect(stdout.match(/\(not_integer\)$/gm)).toHaveLength(15_000);
});
