import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../../../.ci/free-ports.ts';
import { inFull } from '../../../../.ci/in-full.ts';
import { insideTestLimitMs } from '../../../../.ci/limits.ts';
import { startIndependentService } from '../../test/conformance/independent-service.ts';
import { everything, KEY, OTHER_KEY, startMockService } from '../../test/conformance/mock-service.ts';
import { startRawServer, startServer } from '../../test/conformance/servers.ts';
import {
  type ConformanceOptions,
  conformanceCases,
  registerConformance,
  runConformance,
} from '../conformance.ts';

const ids = conformanceCases.map(({ id }) => id);

/** The ids of the cases that run without a disposable order. */
const harmless: readonly string[] = conformanceCases
  .filter(({ needs }) => !needs.includes('orderToken'))
  .map(({ id }) => id);

type Fetch = typeof globalThis.fetch;

/** A few cases that send every kind of credentials, and expect every kind of response; in full, all cases. */
const few = inFull
  ? ids
  : [...harmless, 'update-refuses-other-key-type', 'accepts-cart-alone', 'update-response-json-text'];

/** Runs the echo alone, and returns its result. */
async function runEcho(options: Partial<ConformanceOptions>) {
  const baseUrl = 'https://api.example.com';
  const { results } = await runConformance({
    ...everything,
    baseUrl,
    ...options,
    only: ['echo-accepts-key'],
  });
  return results[0];
}

// That the mock service passes every case is one test below; these three show that registering works.
const mock = await startMockService();
afterAll(() => mock.service.close());
registerConformance(test, {
  ...mock.options,
  only: ['echo-accepts-key', 'accepts-hooks', 'refuses-hooks-as-string'],
});

test('a service that blocks its caller after some refusals passes none of the later ones', async () => {
  const { service, options } = await startMockService();
  await using _ = service;
  let refused = 0;
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (refused >= 3) return new Response('blocked', { status: 403 });
    const response = await globalThis.fetch(url, init);
    if (response.status >= 400) refused += 1;
    return response;
  };
  const { counts, results } = await runConformance({ ...options, fetch });
  const refusals = results.filter(
    ({ verdict, expected }) => verdict === 'pass' && expected === 'refused (4xx)',
  );
  expect([refusals.length < 3, counts.inconclusive > 40]).toEqual([true, true]);
  expect(results.map(({ reason }) => reason)).toContain('a plain echo after it got status 403');
});

test('the mock service passes every case, and a report is plain JSON data', async () => {
  const { service, options } = await startMockService();
  await using _ = service;
  const report = await runConformance(options);
  expect(report.results.map(({ id, verdict }) => [id, verdict])).toEqual(ids.map((id) => [id, 'pass']));
  expect(report.counts).toEqual({ pass: ids.length, fail: 0, inconclusive: 0, skipped: 0 });
  expect(report.baseUrl).toBe(service.url);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(new Set(service.ledger.map(({ token }) => token))).toEqual(new Set([service.token]));
});

test('sends nothing that could change an order unless it is disposable', async () => {
  const { service, options } = await startMockService();
  await using _ = service;
  const { results } = await runConformance({ ...options, disposable: false });
  expect(service.ledger).toEqual([]);
  expect(service.journal.filter(({ path }) => path.includes(service.token))).toEqual([]);
  expect(results.map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual(
    ids.map((id) =>
      harmless.includes(id)
        ? [id, 'pass', undefined]
        : [id, 'skipped', 'could change the order, which is not declared disposable'],
    ),
  );
});

test('a skipped case reports what it needs', async () => {
  const { baseUrl, apiKey, orderToken } = mock.options;
  // The others would run.
  const only = conformanceCases.filter(({ needs }) => needs.some((need) => need !== 'orderToken'));
  const { results } = await runConformance({
    baseUrl,
    apiKey,
    orderToken,
    disposable: true,
    only: only.map(({ id }) => id),
  });
  const skipped = results.filter(({ verdict }) => verdict === 'skipped');
  expect([...new Set(skipped.map(({ reason }) => reason))].sort()).toEqual([
    'needs a currency that the service accepts',
    'needs a key of another type',
    'needs a shipping address that the service accepts',
    'needs the name of the VAT amount',
    'needs the name of the first metadata string',
    'needs the name of the second metadata string',
    'needs the name of the session identifier of a QR payment',
    'needs the name of the total amount',
  ]);
  expect(skipped.every(({ actual }) => actual === undefined)).toBe(true);
  const bare = await runConformance({ baseUrl, apiKey, only: ['accepts-hooks'] });
  expect(bare.results).toMatchObject([{ verdict: 'skipped', reason: 'needs the token of an order' }]);
});

test('runs the cases of only, without those of skip, and calls onResult with each result', async () => {
  const onResult: unknown[] = [];
  const { results } = await runConformance({
    ...mock.options,
    only: ['refuses-order-id-of-256', 'echo-accepts-key'],
    skip: ['refuses-order-id-of-256'],
    onResult: (result) => void onResult.push(result),
  });
  expect(results).toMatchObject([
    { id: 'echo-accepts-key', verdict: 'pass', actual: { status: 200, mediaType: 'application/json' } },
    { id: 'refuses-order-id-of-256', verdict: 'skipped', reason: 'in the option skip' },
  ]);
  expect(onResult).toEqual(results);
});

test('every case is inconclusive where nothing listens', async () => {
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const { results, counts } = await runConformance({ ...mock.options, baseUrl });
  expect(counts).toEqual({ pass: 0, fail: 0, inconclusive: ids.length, skipped: 0 });
  expect(results[0]?.reason).toMatch(
    /^the plain echo got no complete response: connect ECONNREFUSED [\d.:]+$/,
  );
});

test('a service that stalls gets one request for each operation, even over a fetch that ignores its signal', async () => {
  const urls: unknown[] = [];
  const stalled: Fetch = (url) => {
    urls.push(url);
    return new Promise(() => {});
  };
  const baseUrl = 'https://api.example.com';
  const { counts, results } = await runConformance({ ...everything, baseUrl, fetch: stalled, timeoutMs: 30 });
  expect(counts.inconclusive).toBe(ids.length);
  expect(results[0]?.reason).toContain('got no complete response within 30 ms');
  expect(urls).toHaveLength(2);
});

test('a response that never ends is inconclusive after timeoutMs', async () => {
  await using service = await startServer((_, response) => void response.writeHead(200).write('{'));
  expect(await runEcho({ baseUrl: service.url, timeoutMs: 40 })).toMatchObject({
    verdict: 'inconclusive',
    reason: expect.stringContaining('no complete response within 40 ms'),
  });
});

test('a connection that breaks before or inside a response is inconclusive', async () => {
  for (const start of ['', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'no HTTP at all']) {
    await using service = await startRawServer((socket) => socket.end(start));
    const result = await runEcho({ baseUrl: service.url });
    expect(result).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('no complete response: '),
    });
  }
});

test.each<[string, unknown, string]>([
  ['an error with a key', new Error(`${KEY}\nproxy`), '[redacted] proxy'],
  ['no Error', KEY, 'fetch threw what is not an Error'],
  [
    'an error of several addresses',
    new TypeError('failed', { cause: Object.assign(new Error(), { code: 'EX' }) }),
    'failed (EX)',
  ],
])('a fetch that throws %s makes the case inconclusive', async (_, thrown, reason) => {
  const result = await runEcho({ fetch: () => Promise.reject(thrown) });
  expect(result?.reason).toBe(`the plain echo got no complete response: ${reason}`);
});

test.each([
  ...[200, 204, 299].map((status) => [status, 'pass']),
  ...[400, 401, 451, 499].map((status) => [status, 'fail']),
  ...[300, 307, 399, 408, 425, 429, 500, 503, 599].map((status) => [status, 'inconclusive']),
] as const)('where a 2xx is expected, a %d is a %s', async (status, verdict) => {
  await using service = await startServer((_, response) => response.writeHead(Number(status)).end());
  expect(await runEcho({ baseUrl: service.url })).toMatchObject({ verdict, actual: { status } });
});

test.each([
  [204, 'pass', 'fail', 'pass'],
  [401, 'fail', 'inconclusive', 'inconclusive'],
  [307, 'inconclusive', 'inconclusive', 'inconclusive'],
  [500, 'inconclusive', 'inconclusive', 'inconclusive'],
])(
  'where all gets a %d, a case of a 2xx is a %s, a refusal a %s, another a %s',
  async (status, accepted, refused, other) => {
    await using service = await startServer((_, response) => response.writeHead(status).end());
    const { results } = await runConformance({ ...everything, baseUrl: service.url });
    const verdicts: Record<string, string> = { 'accepted (2xx)': accepted, 'refused (4xx)': refused };
    for (const { id, verdict, expected } of results)
      expect([id, verdict]).toEqual([id, verdicts[expected] ?? other]);
  },
);

test.each([
  [401, '; check the key', '; check the key'],
  [403, '; check the key', '; check the key'],
  [404, '; check the base URL', '; check the base URL and the token'],
  [422, '', ''],
])('the reason after a plain request with status %d says what to check', async (status, echo, update) => {
  await using service = await startServer((_, response) => response.writeHead(status).end());
  const only = ['echo-refuses-missing-key', 'refuses-body-not-json'];
  const { results } = await runConformance({ ...everything, baseUrl: service.url, only });
  expect(results.map(({ reason }) => reason)).toEqual([
    `not sent, because a plain echo got status ${status}${echo}`,
    `not sent, because a plain update got status ${status}${update}`,
  ]);
});

test('a case whose first update is refused proves nothing', async () => {
  await using service = await startServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    response.writeHead(body.includes('order_id') ? 422 : 200).end();
  });
  const only = ['update-refuses-order-id-as-token'];
  const { results } = await runConformance({ ...everything, baseUrl: service.url, only });
  expect(results).toMatchObject([
    { verdict: 'inconclusive', reason: 'the request before it got status 422' },
  ]);
});

test('no key that is unknown to the service passes as one of another type', async () => {
  const { service, options } = await startMockService();
  await using _ = service;
  const only = ['update-refuses-other-key-type'];
  const { results } = await runConformance({ ...options, otherTypeKey: 'no-such-key', only });
  expect(results).toMatchObject([
    { verdict: 'inconclusive', reason: 'the request before it got status 401' },
  ]);
});

const limit = 65_536;

test.each([
  ['application/json', '{}', 'pass', 'pass'],
  ['Application/JSON ; charset=utf-8', '{}', 'pass', 'pass'],
  ['application/json;v=1', '{}', 'pass', 'pass'],
  ['application/problem+json', '{}', 'fail', 'pass'],
  ['application/jsonx', '{}', 'fail', 'pass'],
  [undefined, '{}', 'fail', 'pass'],
  ['application/json', '{"a":', 'pass', 'fail'],
  [undefined, '', 'pass', 'pass'],
  ['application/json', `"${'x'.repeat(limit - 2)}"`, 'pass', 'pass'],
  ['application/json', `"${'x'.repeat(limit - 1)}"`, 'pass', 'inconclusive'],
])(
  'a body of type %j is judged by its type, and by its text up to 64 KiB',
  async (type, body, byType, byText) => {
    await using service = await startServer((_, response) =>
      response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body),
    );
    const only = ['update-response-json-media-type', 'update-response-json-text'];
    const { results } = await runConformance({ ...everything, baseUrl: service.url, only });
    expect(results.map(({ verdict }) => verdict)).toEqual([byType, byText]);
  },
);

test('reads no more than 64 KiB of a body without end, and closes its connection', async () => {
  const closed: Promise<unknown>[] = [];
  await using service = await startServer((_, response) => {
    closed.push(once(response, 'close'));
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000))) {}
    };
    response.on('drain', pour);
    pour();
  });
  const result = await runEcho({ baseUrl: service.url });
  expect(result).toMatchObject({ verdict: 'pass', actual: { status: 200 } });
  expect(result?.actual?.excerpt).toBeUndefined();
  await Promise.all(closed);
  expect(closed).toHaveLength(2);
});

test('follows no redirect, and reports where it points', async () => {
  const paths = new Set<unknown>();
  await using service = await startServer((request, response) => {
    paths.add(request.url);
    response.writeHead(301, { location: '/elsewhere' }).end();
  });
  expect(await runEcho({ baseUrl: service.url })).toMatchObject({
    verdict: 'inconclusive',
    actual: { status: 301, location: '/elsewhere' },
  });
  expect([...paths]).toEqual(['/v2/echo_with_private_key']);
});

test('keeps the path of a base URL, and encodes a token as one segment', async () => {
  const paths = new Set<unknown>();
  await using service = await startServer((request, response) => {
    paths.add(request.url);
    response.writeHead(204).end();
  });
  await runConformance({
    ...everything,
    baseUrl: `${service.url}/staging/`,
    orderToken: 'a/b c',
    only: ['echo-accepts-key', 'accepts-cart-alone'],
  });
  expect([...paths]).toEqual(['/staging/v2/echo_with_private_key', '/staging/v2/orders/a%2Fb%20c']);
});

test('rejects with the reason of its signal', async () => {
  const stop = new AbortController();
  await using service = await startServer(() => stop.abort('enough'));
  const options = { ...everything, baseUrl: service.url, signal: stop.signal, only: ['echo-accepts-key'] };
  await expect(runConformance(options)).rejects.toBe('enough');
  await expect(runConformance(options)).rejects.toBe('enough');
});

test.each<[string, (text: string) => string]>([
  ['plain', (text) => text],
  ['JSON', (text) => JSON.stringify({ received: text })],
  ['hex', (text) => Buffer.from(text).toString('hex')],
  ['a text that is cut', (text) => `${'.'.repeat(140)}${text}`],
])('no key and no token is in a report, echoed in headers and body as %s', async (_, write) => {
  const secrets = [KEY, OTHER_KEY, everything.orderToken];
  for (const status of [200, 307]) {
    await using service = await startServer((request, response) => {
      const { authorization = '' } = request.headers;
      const [, encoded = ''] = authorization.split(' ');
      const echoed = write(
        [authorization, Buffer.from(encoded, 'base64'), request.url, ...secrets].join(' '),
      );
      response.writeHead(status, { 'content-type': echoed, location: echoed }).end(echoed);
    });
    const text = JSON.stringify(await runConformance({ ...everything, baseUrl: service.url, only: few }));
    expect(text).toContain('[redacted]');
    for (const secret of secrets.flatMap((one) => [one, btoa(`${one}:`), btoa(`:${one}`)])) {
      for (const form of [secret, Buffer.from(secret).toString('hex')]) {
        expect(text).not.toContain(form.replace(/=+$/, ''));
      }
    }
  }
});

test('no part of a key is in a report, where a body ends or is cut inside it', async () => {
  const apiKey = `sekret${'k'.repeat(3_000)}`;
  const responses = [
    `HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n${apiKey.slice(0, -1)}`,
    // Over 64 KiB; without the whole keys, the rest would be short enough to be quoted.
    `HTTP/1.1 200 OK\r\n\r\n${apiKey.repeat(30)}`,
  ];
  for (const response of responses) {
    await using service = await startRawServer((socket) => socket.end(response));
    const report = await runConformance({ apiKey, baseUrl: service.url, only: harmless });
    expect(JSON.stringify(report)).not.toContain('sekret');
  }
});

test('an excerpt is one line of at most 160 characters, and cuts none in two', async () => {
  const body = `a\r\n\tb\u001b[2Jc\u202ede ${'😀'.repeat(1_000)}`;
  await using service = await startServer((_, response) => response.end(body));
  const { excerpt = '' } = (await runEcho({ baseUrl: service.url }))?.actual ?? {};
  expect(excerpt).toMatch(/^a b \[2Jc de 😀+\ufffd…$/u);
  expect(excerpt.length).toBe(160);
  expect(excerpt.isWellFormed()).toBe(true);
});

test('never rejects, whatever bytes a service sends', async () => {
  const line = fc.constantFrom(
    'HTTP/1.1 200 OK',
    'HTTP/1.1 204 No Content',
    'HTTP/1.1 422 ',
    'HTTP/1.1 302 Found',
    'HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Basic',
    'HTTP/1.1 407 Proxy',
    'HTTP/1.1 421 Misdirected',
    'HTTP/1.1 101 Switching',
    'HTTP/1.1 999 ?',
    'HTTP/2 200',
    '\u0000',
  );
  const header = fc.constantFrom(
    'content-type: application/json',
    'content-type:',
    'content-length: 3',
    'content-length: x',
    'content-encoding: gzip',
    'transfer-encoding: chunked',
    'location: http://[',
    'x: \u0000',
  );
  const response = fc
    .tuple(line, fc.array(header, { maxLength: 3 }), fc.uint8Array({ maxLength: 60 }))
    .map(([first, headers, body]) =>
      Buffer.concat([Buffer.from([first, ...headers, '', ''].join('\r\n'), 'latin1'), body]),
    );
  await fc.assert(
    fc.asyncProperty(fc.array(response, { minLength: 1, maxLength: 12 }), async (responses) => {
      let next = 0;
      await using service = await startRawServer((socket) =>
        socket.end(responses[next++ % responses.length] ?? ''),
      );
      const { results } = await runConformance({
        ...everything,
        baseUrl: service.url,
        only: few,
        timeoutMs: 500,
      });
      expect(results).toHaveLength(few.length);
    }),
    { numRuns: inFull ? 60 : 20 },
  );
});

test('never rejects, whatever a fetch throws or returns', async () => {
  const behaviour = fc.oneof(
    fc.anything().map((thrown) => () => Promise.reject(thrown)),
    fc.anything().map((value) => async () => value as never),
    fc
      .record({ status: fc.integer(), text: fc.string(), type: fc.option(fc.string()) })
      .map(({ status, text, type }) => async () => ({
        status,
        headers: { get: () => type },
        body: new Blob([text]).stream(),
      })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(behaviour, { minLength: 1, maxLength: 9 }), async (behaviours) => {
      let next = 0;
      const { results } = await runConformance({
        ...everything,
        baseUrl: 'https://api.example.com',
        only: few,
        fetch: (() => behaviours[next++ % behaviours.length]?.()) as unknown as Fetch,
      });
      expect(JSON.parse(JSON.stringify(results))).toHaveLength(few.length);
    }),
    { numRuns: inFull ? 300 : 40 },
  );
});

/** Keeps what is registered. */
function collect() {
  const tests = new Map<string, () => Promise<void>>();
  const skipped: string[] = [];
  const into = Object.assign((name: string, body: () => Promise<void>) => tests.set(name, body), {
    skip: (name: string) => skipped.push(name),
  });
  return { into, tests, skipped };
}

test('registers a test for each case, and a skipped one with its reason, and sends nothing before they run', async () => {
  const { service, options } = await startMockService();
  await using _ = service;
  const { into, tests, skipped } = collect();
  registerConformance(into, { ...options, disposable: false, only: ['echo-accepts-key', 'accepts-hooks'] });
  expect([...tests.keys()]).toEqual([
    'echo-accepts-key: An echo with the key as user name and an empty password is accepted',
  ]);
  expect(skipped).toEqual([
    'accepts-hooks: The four hooks together are accepted (could change the order, which is not declared disposable)',
  ]);
  expect(service.journal).toEqual([]);
});

test('a registered test fails with the expected and the actual response', async () => {
  const { into, tests } = collect();
  const only = ['refuses-hooks-as-string'];
  await using service = await startIndependentService('refuses-hooks-as-string');
  registerConformance(into, { ...service.options, only });
  const [body] = tests.values();
  await expect(body?.()).rejects.toThrow(
    'refuses-hooks-as-string: The field hooks is refused when it is a string (API reference, Update order; implied)\n' +
      '  expected: refused (4xx)\n  received: 201, Application/JSON; v=2: {"taken":true}',
  );
});

test('a registered test fails where nothing is proved', async () => {
  const { into, tests } = collect();
  const service = await startIndependentService();
  await service[Symbol.asyncDispose]();
  registerConformance(into, { ...service.options, only: ['echo-accepts-key'] });
  const [body] = tests.values();
  await expect(body?.()).rejects.toThrow(
    /expected: accepted \(2xx\)\n {2}reason: {3}the plain echo got no complete response: /,
  );
});

test('with an invalid option, no test is registered', () => {
  const { into, tests } = collect();
  expect(() => registerConformance(into, { ...mock.options, only: ['no-such-case'] })).toThrow(TypeError);
  expect(tests.size).toBe(0);
});

test('as tests of node:test, one fails, one is skipped and the others pass', async () => {
  const file = fileURLToPath(new URL('../../test/conformance/node-test-suite.ts', import.meta.url));
  // Not `--test`, which starts a second process. Inside another run, node:test would report to that one.
  const words = ['--conditions=@orders/source', '--test-reporter=tap', file];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, words, { env, timeout: insideTestLimitMs }, (_error, text) => resolve(text));
  });
  expect(stdout).toMatch(new RegExp(`^# pass ${ids.length - 2}\n# fail 1\n(?:.*\n)*?# skipped 1$`, 'm'));
  expect(stdout).toMatch(/not ok \d+ - refuses-hooks-as-string/);
});
