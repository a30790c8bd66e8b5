import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import process from 'node:process';
import { promisify } from 'node:util';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { type RunHereOptions, runHere, startHere } from '../test/run-here.ts';
import { createFolder } from '../test/run-orders.ts';

const run = promisify(execFile);
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
async function startMock(words: readonly string[] = [], env: RunHereOptions['env'] = {}) {
  const mock = startHere(['mock', '--port', '0', ...words], { env });
  const stdout = await mock.printed(ready);
  return { ...mock, stdout, ...readReady(stdout) };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly key?: string | undefined;
  readonly body?: object;
}

/** The status of the response to an update, or to another request. */
async function send(
  service: { readonly url: string; readonly key: string; readonly token: string },
  { method = 'PATCH', path = `/v2/orders/${service.token}`, body = { cart: {} }, ...sent }: Sent = {},
): Promise<number> {
  const key = 'key' in sent ? sent.key : service.key;
  const response = await fetch(service.url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Basic ${btoa(`${key}:`)}` }),
    },
    ...(method !== 'GET' && { body: JSON.stringify(body) }),
  });
  await response.text();
  return response.status;
}

test('prints its address, the tokens of its orders and the key that it made', async () => {
  await using mock = await startMock(['--orders', '2']);
  expect(mock.tokens).toHaveLength(2);
  expect(await send(mock)).toBe(200);
  // No option, no admin API.
  expect(await send(mock, { method: 'GET', path: '/__admin/faults' })).toBe(404);
});

test('prints the same as JSON', async () => {
  await using mock = startHere(['mock', '--port', '0', '--orders', '1', '--json', '--admin']);
  const { url, orders, key, admin } = JSON.parse(await mock.printed(/\n/));
  expect(admin).toBe(`${url}/__admin`);
  expect(await send({ url, key, token: orders[0] })).toBe(200);
});

test('has orders with the tokens that it is given, one by one and in a file', async () => {
  await using folder = await createFolder({
    'orders.json': `\ufeff${JSON.stringify(['c', { token: 'd', data: { order_id: 'x' } }])}`,
  });
  await using mock = await startMock([
    ...['--order', 'a', '--order', 'b/1', '--orders-file', folder.file('orders.json'), '--orders', '1'],
  ]);
  expect(mock.tokens).toEqual(['a', 'b/1', 'c', 'd', expect.stringMatching(/^ord_/)]);
  for (const path of ['/v2/orders/b%2F1', '/v2/orders/d']) expect(await send(mock, { path })).toBe(200);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'exits with 0 on %s, even with a request in flight, and logs nothing by default',
  async (signal) => {
    await using mock = await startMock();
    await send(mock);
    const { hostname, port } = new URL(mock.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    await once(socket, 'connect');
    socket.write('PATCH / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n');
    await once(socket, 'data');
    mock.signal(signal);
    expect(await mock.ended).toEqual({ code: 0, stdout: mock.stdout, stderr: '' });
  },
);

test.runIf(hasCurl)(
  'prints curl lines that work when pasted: an update, and with --admin a fault',
  async () => {
    await using mock = await startMock(['--admin', '--key', 'se$ret key']);
    const [update = '', fail = ''] = mock.stdout.match(/(?<=^ {2})curl .*$/gm) ?? [];
    const results: unknown[] = [];
    for (const line of [fail, update, update]) {
      const env = { ...process.env, ORDERS_API_KEY: 'se$ret key' };
      results.push(JSON.parse((await run('sh', ['-c', line], { env })).stdout));
    }
    expect(results).toEqual([
      { added: 1 },
      { error: expect.objectContaining({ code: 'fault_scripted' }) },
      expect.objectContaining({ token: mock.token, revision: 1 }),
    ]);
  },
);

test('scripts faults from the start, delays responses, limits bodies, and logs each request', async () => {
  const next = '{"when":"next","fault":"unavailable"}';
  const words = ['--max-body', '50', '--fault', '{"type":"latency","ms":1}', '--fault', next, '--log'];
  await using mock = await startMock([...words, '--latency', '20ms']);
  const startedAt = performance.now();
  const statusOf = (name: string) => send(mock, { body: { cart: {}, order_id: name } });
  expect([await statusOf('a'), await statusOf('b'), await statusOf('c'.repeat(50))]).toEqual([503, 200, 413]);
  expect(performance.now() - startedAt).toBeGreaterThan(20);
  const log = await mock.printed(/req_3.*\n/, 'stderr');
  expect(log.match(/\b(status|latency)$/gm)).toEqual(['status', 'latency', 'latency']);
});

test('accepts every key that it is given, with its type, and prints none', async () => {
  const words = ['--key', 'one', '--key', 'two:ReportApiKey'];
  await using mock = await startMock(words, { ORDERS_MOCK_KEY: 'three' });
  const statusOf = (key: string) => send(mock, { key });
  expect(await Promise.all(['one', 'two', 'three', 'four'].map(statusOf))).toEqual([200, 403, 200, 401]);
  expect(mock.stdout).not.toMatch(/\b(?:one|two|three)\b/);
});

test('logs no key, given or made', async () => {
  await using mock = await startMock(['--key', 'sekret', '--log']);
  await send(mock, { method: 'GET', path: '/v2/echo_with_private_key', key: 'sekret' });
  await send(mock, { key: 'unknown', path: '/v2/orders/sekret' });
  await send(mock, { key: undefined, path: '/v2/sekret' });
  const log = await mock.printed(/req_3.*\n/, 'stderr');
  expect(
    log
      .trim()
      .split('\n')
      .map((line) => line.replace(/^\S+Z | \d+ms/g, '')),
  ).toEqual([
    'req_1 GET /v2/echo_with_private_key 200 SalesChannelApiKey',
    expect.stringMatching(/^req_2 PATCH \/v2\/orders\/\[\w+\] 401 key unknown$/),
    expect.stringMatching(/^req_3 PATCH \/v2\/\[\w+\] 404 key missing$/),
  ]);
  await using own = await startMock(['--log']);
  await send(own, { path: `/v2/orders/${own.key}` });
  expect(await own.printed(/req_1.*\n/, 'stderr')).not.toContain(own.key);
});

test('names a taken port in one line, and exits with 3', async () => {
  await using other = await startMockOrderService();
  const { port } = new URL(other.url);
  const { code, stdout, stderr } = await runHere(['mock', '--port', port]);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toMatch(/^orders: Cannot listen: .*EADDRINUSE.*\. Try another --port or --host\.\n$/);
  expect(stderr).toContain(port);
});

test.each([
  [['--port', 'http'], /--port .*Write a whole number from 0 to 65535\.$/],
  [['--port', '65536'], /--port /],
  [['--max-body', '1k'], /--max-body /],
  [['--orders', '0'], /--orders /],
  [['--latency', '200'], /--latency .*such as 500ms/],
  [['--host', ''], /^--host: Too small/],
  [['--fault', 'staus'], /^--fault number 1: There is no scenario "staus"\. Known: slow, rateLimited, /],
  [['--fault', 'down'], /^--fault number 1: a service that is always down never starts; /],
  [['--fault', '{type:status}'], /^--fault number 1 is not JSON; put it in single quotes\.$/],
  [['--fault', 'slow', '--fault', '{"when":"next"}'], /^--fault number 2: A fault is a scenario/],
  [['--fault', '{"type":"status","status":42}'], /^--fault number 1: The fault status: status: Too small/],
  [['--fault', '{"when":"next","fault":"down","time\\n":2}'], /unknown option "time\\n"/],
  [['--order', '..'], /^--order: "\.\." is not a token/],
  [['--order', 'a', '--order', 'a'], /^--order: "a" is given twice\.$/],
  [['--orders-file', '/no/such/file'], /^--orders-file \/no\/such\/file cannot be read: ENOENT\.$/],
  [['--orders-file', import.meta.filename], /^--orders-file .+ cannot be read: it is not JSON\.$/],
  [['--key', 'sekret:a:b'], /^--key number 1 is not of the form <key> or <key>:<type>\.$/],
  [['--key', 'x', '--key', 'sekret:'], /^--key number 2 is not of the form <key> or <key>:<type>\.$/],
  [['--key', ':sekret'], /^--key number 1 is empty\.$/],
  [['--key', 'sekret', '--key', 'sekret:Other'], /^--key number 2 is given twice\.$/],
  [['sekret'], /^too many arguments for 'mock'/],
  [['--kye=sekret'], /^unknown option '--kye'/],
])('refuses %j in one line without a key, and exits with 2', async (words, message) => {
  const { code, stdout, stderr } = await runHere(['mock', ...words]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^orders: .+\n$/);
  expect(stderr.slice('orders: '.length, -1)).toMatch(message);
  expect(stderr).not.toContain('sekret');
});

test('its help shows faults that can be given as they stand', async () => {
  const { code, stdout } = await runHere(['mock', '--help']);
  expect(code).toBe(0);
  const shown = [...stdout.matchAll(/ --fault (?:'(.+)'|(\w+))$/gm)].map(([, json, name]) => json ?? name);
  expect(shown).toHaveLength(4);
  await using mock = await startMock(shown.flatMap((fault) => ['--fault', fault ?? '']));
  expect(mock.url).toMatch(/^http:/);
});
