import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openSocket } from '../../test/open-socket.ts';
import { runBin } from '../../test/run-bin.ts';
import { ECHO_PATH, send } from '../../test/send.ts';
import { startReceiver } from '../../test/webhook-receiver.ts';
import { startOrderService } from '../service/order-service.ts';

const run = promisify(execFile);
// Windows ends a process at once: there is no signal that it could hear.
const hasSignals = process.platform !== 'win32';
const READY = / {2}curl .*\n/;
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

function readReady(stdout: string) {
  const [, url = ''] = /ready at (\S+)/.exec(stdout) ?? [];
  const tokens = stdout.match(/(?<=^ {2})ord_\w+$/gm) ?? [];
  const [, key = ''] = /made for this run: (\S+)/.exec(stdout) ?? [];
  const [, curl = ''] = / {2}(curl .*)/.exec(stdout) ?? [];
  return { url, tokens, token: tokens[0] ?? '', key, curl };
}

test('prints its address, the tokens of its orders and the key that it made', async () => {
  await using bin = runBin(['--port', '0', '--orders', '2']);
  const { url, tokens, token, key } = readReady(await bin.printed(READY));
  expect(tokens).toHaveLength(2);
  expect((await send({ url, token, key })).status).toBe(200);
});

test.runIf(hasSignals).each(['SIGINT', 'SIGTERM'] as const)(
  'ends with 0 on %s, even with a request under way',
  async (signal) => {
    await using bin = runBin(['--port', '0']);
    const { url } = readReady(await bin.printed(READY));
    const socket = await openSocket({ url });
    socket.write('PATCH / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n');
    await once(socket, 'data');
    bin.child.kill(signal);
    expect(await bin.ended).toMatchObject({ code: 0, stderr: '' });
  },
);

test.runIf(hasCurl)('prints a curl line that works when pasted', async () => {
  await using bin = runBin(['--port', '0']);
  const { curl, token } = readReady(await bin.printed(READY));
  const { stdout } = await run('sh', ['-c', curl]);
  expect(JSON.parse(stdout)).toMatchObject({ token, revision: 1 });
});

test.runIf(hasCurl)('prints a curl line that reads a given key from ORDERS_API_KEY', async () => {
  await using bin = runBin(['--port', '0', '--key', 'se$ret key']);
  const { curl, token } = readReady(await bin.printed(READY));
  const { stdout } = await run('sh', ['-c', curl], { env: { ...process.env, ORDERS_API_KEY: 'se$ret key' } });
  expect(JSON.parse(stdout)).toMatchObject({ token, revision: 1 });
});

test.runIf(hasCurl)(
  'with --control prints a second curl line, which makes the next request fail',
  async () => {
    await using bin = runBin(['--port', '0', '--control']);
    const stdout = await bin.printed(READY);
    const [update = '', fail = ''] = stdout.match(/(?<=^ {2})curl .*$/gm) ?? [];
    const results: unknown[] = [];
    for (const line of [fail, update, update]) {
      const { stdout: answer } = await run('sh', ['-c', line]);
      results.push(JSON.parse(answer));
    }
    expect(results).toEqual([
      { added: 1 },
      { error: expect.objectContaining({ code: 'fault_scripted' }) },
      expect.objectContaining({ revision: 1 }),
    ]);
    expect(stdout).toContain(`Control API: ${readReady(stdout).url}/_control\n`);
  },
);

test('serves no control API unless asked', async () => {
  await using bin = runBin(['--port', '0']);
  const { url, token, key } = readReady(await bin.printed(READY));
  const answer = await send({ url, token, key }, { method: 'GET', path: '/_control/faults' });
  expect(answer.status).toBe(404);
});

test('plays the faults that it is given, and takes bodies as large as it is told', async () => {
  const next = '{"when":"next","play":{"fault":"status","status":502}}';
  const words = [
    '--port',
    '0',
    '--max-body',
    '50',
    '--fault',
    '{"fault":"latency","ms":1}',
    '--fault',
    next,
    '--log',
  ];
  await using bin = runBin(words);
  const { url, token, key } = readReady(await bin.printed(READY));
  const statusOf = async (name: string) =>
    (await send({ url, token, key }, { body: { cart: {}, order_id: name } })).status;
  expect([await statusOf('a'), await statusOf('b'), await statusOf('c'.repeat(50))]).toEqual([502, 200, 413]);
  const stdout = await bin.printed(/req_3.*\n/);
  expect(stdout.match(/(?<=SalesChannelApiKey).*$/gm)).toEqual([
    ', met status',
    ', met latency',
    ', met latency',
  ]);
});

test.runIf(hasSignals)('ends with 0 while a webhook waits for its next attempt', async () => {
  await using receiver = await startReceiver(() => {});
  await using bin = runBin(['--port', '0', '--control']);
  const { url, token, key } = readReady(await bin.printed(READY));
  const body = { event: 'start_qr_session', url: receiver.url };
  const sending = send({ url, token, key }, { method: 'POST', path: '/_control/webhooks', body }).catch(
    () => 'ended',
  );
  await receiver.received(1);
  bin.child.kill('SIGTERM');
  expect(await bin.ended).toMatchObject({ code: 0, stderr: '' });
  expect(await sending).toBe('ended');
});

test('takes every key it is given, with its type, and prints none', async () => {
  await using bin = runBin(['--port', '0', '--key', 'one', '--key', 'two:ReportApiKey'], {
    ORDERS_SERVICE_KEY: 'three',
  });
  const stdout = await bin.printed(READY);
  const { url, token } = readReady(stdout);
  const statusOf = async (key: string) => (await send({ url, token, key })).status;
  expect(await Promise.all(['one', 'two', 'three', 'four'].map(statusOf))).toEqual([200, 403, 200, 401]);
  expect(stdout).not.toMatch(/\b(?:one|two|three)\b/);
});

test('logs one line a request and no key', async () => {
  await using bin = runBin(['--port', '0', '--key', 'sekret', '--log']);
  const { url, token } = readReady(await bin.printed(READY));
  const service = { url, token, key: 'sekret' };
  await send(service, { method: 'GET', path: ECHO_PATH });
  await send(service, { key: 'unknown', path: '/v2/orders/sekret' });
  await send(service, { path: '/v2/sekret', headers: { authorization: null } });
  const stdout = await bin.printed(/req_3.*\n/);
  const lines = stdout.split('\n').filter((line) => line.includes('req_'));
  expect(lines.map((line) => line.replace(/^\S+Z | \d+ms/g, ''))).toEqual([
    `req_1 GET ${ECHO_PATH} 200 SalesChannelApiKey`,
    'req_2 PATCH /v2/orders/[redacted] 401 key unknown',
    'req_3 PATCH /v2/[redacted] 404 key missing',
  ]);
  expect(stdout).not.toContain('sekret');
});

test('logs no key that it made itself', async () => {
  await using bin = runBin(['--port', '0', '--log']);
  const { url, token, key } = readReady(await bin.printed(READY));
  await send({ url, token, key }, { path: `/v2/orders/${key}` });
  const stdout = await bin.printed(/req_1.*\n/);
  expect(stdout.match(/req_1 (.*) \d+ms/)?.[1]).toBe('PATCH /v2/orders/[redacted] 404');
});

test('logs nothing unless asked', async () => {
  await using bin = runBin(['--port', '0']);
  const before = await bin.printed(READY);
  const { url, token, key } = readReady(before);
  await send({ url, token, key });
  bin.child.kill('SIGTERM');
  expect((await bin.ended).stdout).toBe(before);
});

test('tells of a taken port in one line that names it, and ends with 1', async () => {
  await using other = await startOrderService();
  const { port } = new URL(other.url);
  await using bin = runBin(['--port', port]);
  expect(await bin.ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `orders-service: port ${port} on 127.0.0.1 is taken; give another with --port.\n`,
  });
});

test('tells of an address that it cannot listen on in one line, and ends with 1', async () => {
  await using bin = runBin(['--port', '0', '--host', '203.0.113.1']);
  const { code, stderr } = await bin.ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^orders-service: cannot listen on port 0 of 203\.0\.113\.1: .+\n$/);
});

test.each([
  ['--port', 'http'],
  ['--max-body', '1k'],
  ['--fault', '{"fault":"staus"}'],
  ['--fault', 'not\nJSON'],
])('tells of %s %j in one line, and ends with 2', async (...words) => {
  await using bin = runBin(words);
  const { code, stdout, stderr } = await bin.ended;
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^orders-service: .+\n$/);
});

test('prints its version', async () => {
  await using bin = runBin(['--version']);
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await bin.ended).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
});
