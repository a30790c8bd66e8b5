import childProcess from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { startMockOrderService } from '@orders/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runHere, runIn } from '../test/run-here.ts';
import { createFolder, type EndedRun, type Folder, runOrders } from '../test/run-orders.ts';
import { splitWords } from './connection.ts';

const key = 'sk_test_4f1b9c27';

test('a key command is split into words, and a path of Windows stays whole', () => {
  expect(splitWords(`op read "op://vault/the key" --x='a b'c`)).toEqual([
    'op',
    'read',
    'op://vault/the key',
    '--x=a bc',
  ]);
  expect(splitWords(String.raw`"C:\Program Files\op.exe" C:\keys\x`)).toEqual([
    String.raw`C:\Program Files\op.exe`,
    String.raw`C:\keys\x`,
  ]);
});

test('the key comes from a file or a command, which no shell runs', async () => {
  await using service = await startMockOrderService({ keys: [key] });
  await using folder = await createFolder({
    key: `${key}\n`,
    mark: `\ufeff${key}\r\n`,
    two: 'a\nb\n',
    'print.mjs': `console.log(process.argv[2])`,
  });
  // A path may hold both quotes, of which a command can have one around it.
  const node = process.platform === 'win32' ? process.execPath : join(folder.path, 'node');
  if (node !== process.execPath) await symlink(process.execPath, node);
  // A folder of another user in PATH would be the reason why a program is not found there.
  vi.stubEnv('PATH', folder.path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const check = (...words: readonly string[]) =>
    runIn(folder, ['check', '--base-url', service.url, '--json', ...words]);
  await writeFile(folder.file('wide'), `\ufeff${key}\r\n`, 'utf16le');
  for (const name of ['key', 'mark'])
    expect(await check('--api-key-file', name)).toMatchObject({ code: 0, stderr: '' });
  expect(await check('--api-key-command', `"${node}" print.mjs ${key}`)).toMatchObject({
    code: 0,
  });
  const shell = await check('--api-key-command', `"${node}" print.mjs $(echo;touch,made)`);
  expect(shell.code).toBe(1);
  const failures = [
    [['--api-key-file', key], 'cannot read the file (ENOENT)'],
    [['--api-key-file', 'two'], 'expected the key on one line, got several'],
    [['--api-key-file', 'wide'], 'expected a key in UTF-8, got UTF-16'],
    [['--api-key-command', key], 'cannot start the program (ENOENT)'],
    [['--api-key-command', `"${node}" -e process.exit(7)`], 'failed (7)'],
    [['--api-key-command', `"${node}" -e 0`], 'got nothing'],
  ] as const;
  for (const [words, message] of failures) {
    const { code, stdout, stderr } = await check(...words);
    expect([code, stderr]).toEqual([3, expect.stringContaining(message)]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'failed' } });
    expect(stdout + stderr).not.toContain(key);
  }
  expect(await check('--api-key-file', 'key', '--api-key-command', 'x')).toMatchObject({ code: 2 });
  expect(await check('--api-key-command', ' ')).toMatchObject({
    code: 2,
    stderr: 'orders: --api-key-command: expected a command, got nothing.\n',
  });
});

test.skipIf(process.platform === 'win32')(
  'a key command that ignores SIGTERM is killed after its time limit',
  async () => {
    const { execFile } = childProcess;
    const hurried = (file: string, args: readonly string[], options: object) =>
      promisify(execFile)(file, args, { ...options, timeout: 1_000 });
    const use = (own: object): void => {
      Object.assign(childProcess, { execFile: own });
      syncBuiltinESMExports();
    };
    use(Object.assign(() => {}, { [promisify.custom]: hurried }));
    onTestFinished(() => use(execFile));
    const program = `sh -c "trap '' TERM; exec sleep 600"`;
    const { code, stderr } = await runHere(['check', '--api-key-command', program], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    expect([code, stderr]).toEqual([3, expect.stringContaining('sh took longer than 60 s')]);
  },
);

const header = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;

test.each([
  `apiKey: '${key}'`,
  `apiKey: async () => '${key}'`,
  `apiKey: { reveal: () => '${key}' }`,
  `credentials: { reveal: () => '${header}' }`,
  `credentials: async () => ({ reveal: () => '${header}' })`,
  `credentials: { reveal: () => 'Bearer ${key}' }`,
])('a key that --config has as %s is printed nowhere, though the service echoes it', async (option) => {
  await using service = await startMockOrderService();
  const body = JSON.stringify({ plain: key, header, inText: `the key ${key} is fine` });
  const headers = { 'content-type': 'application/json' };
  service.faults.always({ type: 'status', status: 200, headers, body });
  await using folder = await createFolder({
    'config.mjs': `export default { baseUrl: '${service.url}', ${option} };`,
    'a.json': '{"cart":{}}',
  });
  const { code, stdout, stderr } = await runIn(folder, [
    'update',
    'ord_1',
    'a.json',
    '--json',
    '--config',
    'config.mjs',
  ]);
  expect([code, JSON.parse(stdout).data.inText]).toEqual([0, 'the key [secret] is fine']);
  for (const secret of [key, header.slice(6).replace(/=+$/, '')])
    expect(stdout + stderr).not.toContain(secret);
});

test('a call may take as long as --timeout lets one of its attempts take', async () => {
  await using service = await startMockOrderService({ keys: [key], latencyMs: 300 });
  await using folder = await createFolder({
    'config.mjs': `export default { baseUrl: '${service.url}', timeouts: { total: 100 } };`,
  });
  const check = (...words: readonly string[]) =>
    runIn(folder, ['check', '--config', 'config.mjs', ...words], { ORDERS_API_KEY: key });
  expect(await check('--timeout', '50ms')).toMatchObject({ code: 1 });
  expect(await check('--timeout', '10m')).toMatchObject({ code: 0 });
});

test('a hostile folder chooses neither where the key goes, nor how it is read, nor which code runs', async () => {
  await using service = await startMockOrderService({ keys: [key] });
  const env = { ORDERS_API_KEY: key };
  const others = [
    ['validate', 'update.json'],
    ['update', 'ord_1', 'update.json'],
    ['send', 'update.json'],
    ['outbox', 'start', '--folder', 'outbox'],
  ];
  for (const setting of [
    { baseUrl: service.url },
    { 'base-url': service.url },
    { apiKeyCommand: 'touch made' },
    { apiKeyFile: '/etc/passwd' },
    { config: './config.mjs' },
    { schema: './config.mjs' },
    { allowInsecureHttp: true },
  ]) {
    await using folder = await createFolder({
      'orders.json': JSON.stringify(setting),
      'orders.config.mjs': 'throw new Error("loaded")',
      'config.mjs': 'throw new Error("loaded")',
      'update.json': '{"cart":{}}',
    });
    // The others read the file in the same way, so that they meet one of these.
    for (const words of [['check'], ...others.splice(0)]) {
      const { code, stdout, stderr } = await runIn(folder, words, env);
      expect([words, code, stdout]).toEqual([words, 2, '']);
      expect(stderr).toContain(`orders.json may not set "${Object.keys(setting)[0]}"`);
    }
  }

  expect(service.journal).toEqual([]);
});

test('flags come before the environment, and that before the folder', async () => {
  await using service = await startMockOrderService({ keys: [key] });
  await using folder = await createFolder({
    'orders.json': '{ "decimals": 2, "orderUpdate": { "totalAmount": "total" } }',
    'a.csv': 'token,total,cart.items[0].sku\nord_1,"1,50",mug\n',
    'a.json': '{ "cart": {}, "total": "x" }',
    'config.mjs': `import { OrderUpdate as schema } from ${JSON.stringify(import.meta.resolve('@orders/schema'))};
export default { schema };`,
    'wrong.mjs': 'export default { schema: {} };',
  });
  const run = (...words: readonly string[]) => runIn(folder, words);
  expect(await run('validate', 'a.csv')).toMatchObject({ code: 0 });
  expect(await run('validate', 'a.csv', '--decimals', '0')).toMatchObject({ code: 1 });
  expect((await run('validate', 'a.json')).stdout).toContain('total (invalid_type)');
  const dryRun = ['update', 'ord_1', 'a.json', '--dry-run', '--base-url', service.url];
  expect(await run(...dryRun)).toMatchObject({ code: 1 });
  expect(await run(...dryRun, '--config', 'config.mjs')).toMatchObject({ code: 0 });
  expect(await run(...dryRun, '--config', 'wrong.mjs')).toMatchObject({
    code: 2,
    stderr: 'orders: --config: wrong.mjs: schema: write defineOrderUpdate({ ... }).\n',
  });
  const env = { ORDERS_API_KEY: key, ORDERS_BASE_URL: 'http://127.0.0.1:1' };
  expect(await runIn(folder, ['check', '--base-url', service.url], env)).toMatchObject({ code: 0 });
});

test('a setting of the folder that is unknown or wrong is refused by name', async () => {
  for (const [content, message] of [
    ['{ "decimal": 2 }', 'Did you mean "decimals"?'],
    ['{ "decimals": 99 }', 'decimals: Write a whole number from 0 to 15.'],
    ['{ "decimals": [2] }', 'decimals: Write a text or a number.'],
    ['{ "__proto__": { "decimals": 2 } }', '__proto__'],
    ['{ "orderUpdate": { "totalAmount": 1 } }', 'orderUpdate'],
    ['{', 'orders.json:1:2: Not JSON: Expected property name'],
    ['', 'orders.json:1:1: Not JSON: Unexpected end'],
    ['null', 'expected an object of options. Known: concurrency, '],
    ['[]', 'expected an object of options. Known: concurrency, '],
    ['{ "decimals": 0,\n  "decimals": 2 }', 'orders.json:2:3: Found "decimals". The name is there twice'],
    ['{ "orderUpdate": { "totalAmount": "a", "totalAmount": "b" } }', ': Found "totalAmount". The name is'],
    ['{ "rate": 0.1e-400 }', 'JavaScript does not have this number'],
    ['{ "orderUpdate": null }', 'orders.json: orderUpdate: '],
    [
      '{ "orderUpdate": { "fields": {} } }',
      'orderUpdate.fields: a schema of a field is code. Pass --schema.',
    ],
    ...['constructor', 'toString', '__proto__', 'hasOwnProperty'].map(
      (name) => [`{"${name}":1}`, `unknown option "${name}"`] as const,
    ),
    ['{ "stopOnRejected": "false" }', 'stopOnRejected: Write true or false.'],
  ] as const) {
    await using folder = await createFolder({ 'orders.json': content, 'a.csv': '' });
    const { code, stderr } = await runIn(folder, ['send', 'a.csv']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).toMatch(/^orders: [^\n]+\n$/);
  }
});

test('a byte order mark of orders.json, and of a JSON file of --config, changes nothing', async () => {
  await using folder = await createFolder({
    'orders.json': '\ufeff{ "decimals": 2 }',
    'config.json': '\ufeff{ "baseUrl": "http://127.0.0.1:1" }',
    'a.csv': 'token,cart.items[0].unit_price\nord_1,"1,50"\n',
    'a.json': '{"cart":{}}',
  });
  expect(await runIn(folder, ['validate', 'a.csv'])).toMatchObject({ code: 0 });
  const words = ['update', 'ord_1', 'a.json', '--dry-run', '--config', 'config.json'];
  expect(await runIn(folder, words)).toMatchObject({ code: 0 });
});

test('--config and --schema load code, whose errors show no message that may hold a key', async () => {
  await using service = await startMockOrderService({ keys: [key] });
  await using folder = await createFolder({
    'config.mjs': `export default { baseUrl: '${service.url}', apiKey: () => '${key}' }`,
    'config.json': `{ "baseUrl": "${service.url}", "headers": { "x-shop": "1" } }`,
    'wrong.json': '{ "baseUrls": "x" }',
    'broken.json': `{"apiKey":${key}}`,
    'number.json': '{"apiKey":424242424242424242}',
    'twice.json': `{"baseUrl":"${service.url}","apiKey":"${key}","baseUrl":"x"}`,
    'later.mjs': `export default { apiKey: () => { throw new RangeError('${key}') } }`,
    'schema.mjs':
      'export default { safeParse: () => ({ success: false, error: { issues: [{ message: "no", code: "own", path: [] }] } }) }',
    'a.json': '{"cart":{}}',
  });
  const run = (words: readonly string[], env = {}) => runIn(folder, words, env);
  expect(await run(['check', '--config', 'config.mjs'])).toMatchObject({ code: 0 });
  expect(await run(['check', '--config', 'config.json'], { ORDERS_API_KEY: key })).toMatchObject({ code: 0 });
  expect(service.journal.at(-1)?.headers['x-shop']).toBe('1');
  const wrong = await run(['check', '--config', 'wrong.json', '--base-url', service.url], {
    ORDERS_API_KEY: key,
  });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('"baseUrls"') });
  const later = await run(['check', '--config', 'later.mjs', '--base-url', service.url]);
  expect(later).toMatchObject({ code: 1, stdout: expect.stringMatching(/it\s+threw\s+RangeError/) });
  expect(later.stdout + later.stderr).not.toContain(key);
  const broken = await run(['check', '--config', 'broken.json']);
  expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('it is not JSON') });
  expect(broken.stderr).not.toContain(key);
  const number = await run(['check', '--config', 'number.json']);
  expect([number.code, number.stderr]).toEqual([2, expect.not.stringMatching(/42/)]);
  const twice = await run(['check', '--config', 'twice.json']);
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('Found "baseUrl". The name is')]);
  expect(twice.stderr).not.toContain(key);
  const own = await run(['validate', 'a.json', '--schema', 'schema.mjs']);
  expect(own).toMatchObject({ code: 1, stdout: expect.stringContaining('(own)') });
});

type Run = (folder: Folder, words: readonly string[]) => Promise<EndedRun>;
/** What a module throws later ends its process. */
const runAlone: Run = (folder, words) => runOrders(words, { cwd: folder.path });

test.each<[string, RegExp, Run]>([
  ['throw new Error(text)', /--config: cannot load \S+: it threw Error\. .*"node \S+" prints it\.$/, runIn],
  ['throw text', /it threw a value that is not an Error/, runIn],
  ['throw Object.assign(new Error(text), { name: text })', /it threw Error\./, runIn],
  ['JSON.parse(text)', /it threw SyntaxError\./, runIn],
  [
    'export default new Proxy({ a: 1 }, { get() { throw new RangeError(text); } })',
    /it threw RangeError\./,
    runIn,
  ],
  [
    'Promise.reject(Object.assign(new TypeError(text), { code: text })); await new Promise(() => {})',
    /A module threw TypeError; its message may hold a key/,
    runAlone,
  ],
])('no error of a --config module shows the key: %s', async (code, message, run) => {
  await using folder = await createFolder({ 'config.mjs': `const text = '${key}';\n${code}` });
  const words = ['check', '--config', 'config.mjs', '--base-url', 'http://127.0.0.1:1'];
  const ended = await run(folder, words);
  expect([ended.code, ended.stdout]).toEqual([3, '']);
  expect(ended.stderr).toMatch(/^orders: [^\n]+\n$/);
  expect(ended.stderr.trim()).toMatch(message);
  expect(ended.stderr).not.toContain(key);
});
