import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { createOrdersClient as createOverFetch } from '../src/fetch.ts';
import { createOrdersClient } from '../src/index.ts';
import { fuzzResponses } from './fuzz-responses.ts';
import { listenOnLoopback } from './loopback.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';

const run = promisify(execFile);
const specifiers = ['@orders/client', '@orders/client/fetch'];

/** More seeds find more; these are those of the test command. */
const seed = 41;
const count = inFull ? 20_000 : 400;

test.each(specifiers)(
  `${count} hostile responses end no process of %s, and each outcome is true`,
  {
    timeout: 600_000,
  },
  async (specifier) => {
    const { counts, untrue } = await fuzzResponses({ specifier, seed, count });
    expect(untrue).toEqual([]);
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(['ok', 'applied', 'rejected', 'unknown']));
  },
);

const [responses, maxMb] = inFull ? [16, 150] : [2, 50];

// Node's own `fetch` holds tens of thousands of chunks back, which nothing here could join.
test(`${responses} responses of 1 MiB in chunks of a byte cost less than ${maxMb} MB over undici`, async () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
  const chunks = Buffer.from(`${'1\r\n1\r\n'.repeat(2 ** 20)}0\r\n\r\n`);
  const server = createServer((socket) =>
    socket.once('data', () => socket.write(head) && socket.write(chunks)),
  );
  await using listener = await listenOnLoopback(server);
  const child = fileURLToPath(import.meta.resolve('./bytewise-child.ts'));
  const url = `http://127.0.0.1:${listener.port}`;
  const { stdout } = await run(process.execPath, ['--conditions=@orders/source', child, url, `${responses}`]);
  expect(Number(stdout)).toBeLessThan(maxMb);
});

test.each([
  ['undici', createOrdersClient],
  ['fetch', createOverFetch],
])('a body that claims to be compressed six times ends no process over %s', async (_name, create) => {
  const body = 'x'.repeat(70_000);
  const headers = {
    'content-encoding': Array(6).fill('gzip').join(', '),
    'content-length': String(body.length),
  };
  await using server = await startRawServer((socket) => socket.write(httpAnswer(200, headers, body)));
  await using orders = create({ baseUrl: server.url, apiKey: 'swordfish-swordfish' });
  const { ok, outcome } = await orders.safeUpdateOrder('order_1', { cart: {} });
  expect(ok).toBe(false);
  expect(['applied', 'unknown']).toContain(outcome);
});

test.each([
  ['undici', createOrdersClient],
  ['fetch', createOverFetch],
])('JSON in latin1 is applied and cannot be read over %s; an error has its text', async (_name, create) => {
  await using server = await startRawServer((socket, request) => {
    const body = '{"name":"Bl\xe5b\xe6r"}';
    const headers = { 'content-length': String(body.length) };
    socket.write(httpAnswer(request.includes('refused') ? 409 : 200, headers, body), 'latin1');
  });
  await using orders = create({ baseUrl: server.url, apiKey: 'swordfish-swordfish' });
  const applied = await orders.safeUpdateOrder('order_1', { cart: {} });
  expect(applied).toMatchObject({ outcome: 'applied', error: { code: 'invalid_response' } });
  expect(applied.error?.message).toContain('200 with JSON that is not in UTF-8');
  const refused = await orders.safeUpdateOrder('refused', { cart: {} });
  expect(refused.error).toMatchObject({ code: 'http_error', body: '{"name":"Bl\ufffdb\ufffdr"}' });
});

const headNames = '__proto__: a\r\n__proto__: b\r\nconstructor: c\r\n';

/** What the service sends for each token. */
const responseOf: Readonly<Record<string, string>> = {
  json: httpAnswer(200, {}, '{"each":1}'),
  empty: httpAnswer(204),
  broken: httpAnswer(200, {}, '{'),
  page: httpAnswer(200, { 'content-type': 'text/html' }, '<p>'),
  refused: httpAnswer(409, {}, '{"error":"no"}').replace('\r\n', `\r\n${headNames}`),
  later: httpAnswer(429),
  failed: httpAnswer(503),
  moved: httpAnswer(302, { location: '/' }),
  reset: '',
};

test.each(specifiers)(
  'properties on the prototypes of a process change nothing of what calls of %s come to',
  async (specifier) => {
    await using server = await startRawServer((socket, request) => {
      const [, token = ''] = /^PATCH \/v2\/orders\/(\w+)/.exec(request) ?? [];
      const answer = token ? responseOf[token] : httpAnswer(200, {}, '{"echo":true}');
      if (answer) socket.write(answer);
      else socket.resetAndDestroy();
    });
    const child = fileURLToPath(import.meta.resolve('./prototypes-child.ts'));
    const env = { ...process.env, TOKENS: Object.keys(responseOf).join(' ') };
    const runChild = async (...more: string[]) => {
      const args = ['--conditions=@orders/source', child, specifier, server.url, ...more];
      const { stdout } = await run(process.execPath, args, { env });
      const requests = server.requests.splice(0).map((request) => request.replaceAll('\r\n', '\n'));
      return { results: JSON.parse(stdout), requests };
    };
    const plain = await runChild();
    expect(await runChild('extended')).toEqual(plain);
    const [[json, , , , refused]] = plain.results;
    expect(json).toMatchObject({ ok: true, outcome: 'applied', data: { each: 1 } });
    expect(Object.entries(refused.error.headers)).toEqual(
      expect.arrayContaining([
        ['constructor', 'c'],
        ['__proto__', expect.anything()],
      ]),
    );
  },
);
