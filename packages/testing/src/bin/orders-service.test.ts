import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openSocket } from '../../test/open-socket.ts';
import { runBin } from '../../test/run-bin.ts';
import { ECHO_PATH, orderPath, send } from '../../test/send.ts';
import { startMockOrderService } from '../mock/mock-order-service.ts';

const run = promisify(execFile);
// Windows kills a process at once: there is no signal that it could handle.
const hasSignals = process.platform !== 'win32';
const ready = / {2}curl .*\n/;
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

function readReady(stdout: string) {
  const [, url = ''] = /ready at (\S+)/.exec(stdout) ?? [];
  const tokens = stdout.match(/(?<=^ {2})(?!curl )\S+$/gm) ?? [];
  const [, key = ''] = /made for this run: (\S+)/.exec(stdout) ?? [];
  return { url, tokens, token: tokens[0] ?? '', key };
}

/** Starts the command on a free port and reads what it prints when it is ready. */
async function startBin(words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const bin = runBin(['--port', '0', ...words], env);
  const stdout = await bin.printed(ready);
  return { ...bin, stdout, ...readReady(stdout) };
}

test('prints its address, the tokens of its orders and the key that it made', async () => {
  await using bin = await startBin(['--orders', '2']);
  expect(bin.tokens).toHaveLength(2);
  expect((await send(bin)).status).toBe(200);
  // No option, no admin API.
  expect((await send(bin, { method: 'GET', path: '/__admin/faults' })).status).toBe(404);
});

test('has orders with the tokens that it is given, one by one and in a file', async () => {
  const file = join(tmpdir(), `orders-${process.pid}.json`);
  await writeFile(file, JSON.stringify(['c', { token: 'd', data: { order_id: 'x' } }]));
  await using bin = await startBin([
    '--order',
    'a',
    '--order',
    'b/1',
    '--orders-file',
    file,
    '--orders',
    '1',
  ]);
  await rm(file);
  expect(bin.tokens).toEqual(['a', 'b/1', 'c', 'd', expect.stringMatching(/^ord_/)]);
  for (const token of ['b/1', 'd']) expect((await send(bin, { path: orderPath(token) })).status).toBe(200);
});

test.runIf(hasSignals).each(['SIGINT', 'SIGTERM'] as const)(
  'exits with 0 on %s, even with a request in flight',
  async (signal) => {
    await using bin = await startBin();
    const socket = await openSocket(bin);
    socket.write('PATCH / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n');
    await once(socket, 'data');
    bin.child.kill(signal);
    expect(await bin.ended).toMatchObject({ code: 0, stderr: '' });
  },
);

test.runIf(hasCurl)(
  'prints curl lines that work when pasted: an update, and with --admin a fault',
  async () => {
    await using bin = await startBin(['--admin', '--key', 'se$ret key']);
    const [update = '', fail = ''] = (await bin.printed(/Make.*\n.*\n/)).match(/(?<=^ {2})curl .*$/gm) ?? [];
    const results: unknown[] = [];
    for (const line of [fail, update, update]) {
      const env = { ...process.env, ORDERS_API_KEY: 'se$ret key' };
      results.push(JSON.parse((await run('sh', ['-c', line], { env })).stdout));
    }
    expect(results).toEqual([
      { added: 1 },
      { error: expect.objectContaining({ code: 'fault_scripted' }) },
      expect.objectContaining({ token: bin.token, revision: 1 }),
    ]);
  },
);

test('scripts faults from the start, and limits bodies', async () => {
  const next = '{"when":"next","fault":"unavailable"}';
  const latency = '{"type":"latency","ms":1}';
  await using bin = await startBin(['--max-body', '50', '--fault', latency, '--fault', next, '--log']);
  const statusOf = async (name: string) => (await send(bin, { body: { cart: {}, order_id: name } })).status;
  expect([await statusOf('a'), await statusOf('b'), await statusOf('c'.repeat(50))]).toEqual([503, 200, 413]);
  const stdout = await bin.printed(/req_3.*\n/);
  expect(stdout.match(/\b(status|latency)$/gm)).toEqual(['status', 'latency', 'latency']);
});

test('accepts every key that it is given, with its type, and prints none', async () => {
  const words = ['--key', 'one', '--key', 'two:ReportApiKey'];
  await using bin = await startBin(words, { ORDERS_SERVICE_KEY: 'three' });
  const statusOf = async (key: string) => (await send({ ...bin, key })).status;
  expect(await Promise.all(['one', 'two', 'three', 'four'].map(statusOf))).toEqual([200, 403, 200, 401]);
  expect(bin.stdout).not.toMatch(/\b(?:one|two|three)\b/);
});

test('logs one line a request and no key, given or made', async () => {
  await using bin = await startBin(['--key', 'sekret', '--log']);
  const service = { ...bin, key: 'sekret' };
  await send(service, { method: 'GET', path: ECHO_PATH });
  await send(service, { key: 'unknown', path: '/v2/orders/sekret' });
  await send(service, { path: '/v2/sekret', headers: { authorization: null } });
  const stdout = await bin.printed(/req_3.*\n/);
  const lines = stdout.split('\n').filter((line) => line.includes('req_'));
  expect(lines.map((line) => line.replace(/^\S+Z | \d+ms/g, ''))).toEqual([
    `req_1 GET ${ECHO_PATH} 200 SalesChannelApiKey`,
    expect.stringMatching(/^req_2 PATCH \/v2\/orders\/\[\w+\] 401 key unknown$/),
    expect.stringMatching(/^req_3 PATCH \/v2\/\[\w+\] 404 key missing$/),
  ]);
  await using own = await startBin(['--log']);
  await send(own, { path: `/v2/orders/${own.key}` });
  expect((await own.printed(/req_1.*\n/)).split('req_1')[1]).not.toContain(own.key);
});

test('logs nothing by default', async () => {
  await using bin = await startBin();
  await send(bin);
  bin.child.kill('SIGTERM');
  expect((await bin.ended).stdout).toBe(bin.stdout);
});

test('names a taken port in one line, and exits with 1', async () => {
  await using other = await startMockOrderService();
  const { port } = new URL(other.url);
  await using bin = runBin(['--port', port]);
  const { code, stdout, stderr } = await bin.ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^orders-service: cannot listen: .*EADDRINUSE.*\. Try another --port or --host\.\n$/,
  );
  expect(stderr).toContain(port);
});

test.each([
  [['--port', 'http'], /--port .*Give a whole number from 0 to 65535\.$/],
  [['--port', '65536'], /--port /],
  [['--max-body', '1k'], /--max-body /],
  [['--orders', '0'], /--orders /],
  [['--host', ''], /^startMockOrderService: host: Too small/],
  [['--fault', 'staus'], /^--fault number 1: There is no scenario "staus"\. Known: slow, rateLimited, /],
  [['--fault', 'down'], /^--fault number 1: a service that is always down never starts; /],
  [['--fault', '{type:status}'], /^--fault number 1 is not JSON; put it in single quotes\.$/],
  [['--fault', 'slow', '--fault', '{"when":"next"}'], /^--fault number 2: A fault is a scenario/],
  [['--fault', '{"type":"status","status":42}'], /^--fault number 1: The fault status: status: Too small/],
  [['--fault', '{"when":"next","fault":"down","time\\n":2}'], /unknown option "time\\n"/],
  [['--order', '..'], /^orders: "\.\." is not a token/],
  [['--order', 'a', '--order', 'a'], /^orders: "a" is given twice\.$/],
  [['--orders-file', '/no/such/file'], /^--orders-file \/no\/such\/file cannot be read: ENOENT\.$/],
  [['--orders-file', process.execPath], /^--orders-file .+ cannot be read: it is not JSON\.$/],
  [['--key', 'sekret:a:b'], /^--key number 1 is not of the form <key> or <key>:<type>\.$/],
  [['--key', 'x', '--key', 'sekret:'], /^--key number 2 is not of the form <key> or <key>:<type>\.$/],
  [['--key', ':sekret'], /^--key number 1 is empty\.$/],
  [['--key', 'sekret', '--key', 'sekret:Other'], /^keys\[1\] is given twice\.$/],
  [['sekret'], /^Every argument is an option; see --help\.$/],
  [['--kye=sekret'], /^unknown option '--kye'$/],
])('refuses %j in one line without a key, and exits with 2', async (words, message) => {
  await using bin = runBin(words);
  const { code, stdout, stderr } = await bin.ended;
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^orders-service: .+\n$/);
  expect(stderr.slice('orders-service: '.length, -1)).toMatch(message);
  expect(stderr).not.toContain('sekret');
});

test('its help shows faults that can be given as they stand', async () => {
  await using help = runBin(['--help']);
  const { code, stdout } = await help.ended;
  expect(code).toBe(0);
  const shown = [...stdout.matchAll(/ {2}--fault (?:'(.+)'|(\w+))$/gm)].map(([, json, name]) => json ?? name);
  expect(shown).toHaveLength(4);
  await using bin = await startBin(shown.flatMap((fault) => ['--fault', fault ?? '']));
  expect(bin.url).toMatch(/^http:/);
});

test('prints its version', async () => {
  await using bin = runBin(['--version']);
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await bin.ended).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
});
