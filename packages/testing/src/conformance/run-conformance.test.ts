import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startAnswering, startRawAnswering } from '../../test/conformance/answering.ts';
import { harmless, KEY, OTHER_KEY, startOwnService } from '../../test/conformance/own-service.ts';
import { conformanceCases } from './conformance-cases.ts';
import type { ConformanceFetch } from './conformance-fetch.ts';
import type { ConformanceOptions } from './conformance-options.ts';
import type { ConformanceResult } from './conformance-report.ts';
import { runConformance } from './run-conformance.ts';

const ids = conformanceCases.map(({ id }) => id);

/** All that a run can be given, for a service that heeds none of it. */
const everything = {
  apiKey: 'sekret-sales-key',
  otherTypeKey: 'sekret-report-key',
  orderToken: 'ord_0123456789',
  disposable: true,
  names: { metadata: ['meta_1', 'meta_2'], totalAmount: 'total', vatAmount: 'vat', qrSessionId: 'qr' },
  currency: 'EUR',
  shippingAddress: {},
} satisfies Omit<ConformanceOptions, 'baseUrl'>;

const verdictsOf = (results: readonly ConformanceResult[]) =>
  Object.fromEntries(results.map(({ id, verdict }) => [id, verdict]));

test('our service passes every case', async () => {
  const { service, options } = await startOwnService();
  await using _ = service;
  const { results, counts, baseUrl } = await runConformance(options);
  expect(results.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect(counts).toEqual({ pass: ids.length, differs: 0, skipped: 0, error: 0 });
  expect(baseUrl).toBe(service.url);
});

test('a report is plain JSON data', async () => {
  const { service, options } = await startOwnService();
  await using _ = service;
  const report = await runConformance(options);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

test('sends nothing that could change an order unless it is disposable', async () => {
  const { service, options } = await startOwnService();
  await using _ = service;
  const { results } = await runConformance({ ...options, disposable: false });
  expect(service.ledger).toEqual([]);
  expect(service.journal.filter(({ path }) => path.includes(service.token))).toEqual([]);
  expect(verdictsOf(results)).toEqual(
    Object.fromEntries(ids.map((id) => [id, harmless.includes(id) ? 'pass' : 'skipped'])),
  );
  const reasons = new Set(results.map(({ reason }) => reason));
  expect([...reasons]).toEqual([undefined, 'could change the order, which is not said to be disposable']);
});

test('touches no order but the one it was given', async () => {
  const { service, options } = await startOwnService();
  await using _ = service;
  await runConformance(options);
  expect(new Set(service.ledger.map(({ token }) => token))).toEqual(new Set([service.token]));
});

test('says what a skipped case would need', async () => {
  const { service, options } = await startOwnService();
  await using _ = service;
  const { baseUrl, apiKey, orderToken = '' } = options;
  const { results } = await runConformance({ baseUrl, apiKey, orderToken, disposable: true });
  const skipped = results.filter(({ verdict }) => verdict === 'skipped');
  expect([...new Set(skipped.map(({ reason }) => reason))]).toEqual([
    'needs a key of another type',
    'needs a currency that the service takes',
    'needs a shipping address that the service takes',
    'needs the name of the first metadata string',
    'needs the name of the second metadata string',
    'needs the name of the total amount',
    'needs the name of the V.A.T. amount',
    'needs the name of the session identifier of a QR payment',
  ]);
  const { results: bare } = await runConformance({ baseUrl, apiKey });
  expect(bare.find(({ id }) => id === 'accepts-cart-alone')?.reason).toBe('needs the token of an order');
  expect(skipped.every(({ actual, durationMs }) => actual === undefined && durationMs === 0)).toBe(true);
});

test('tries only what it is asked to, and skips what it is asked to', async () => {
  const { service, options } = await startOwnService();
  await using _ = service;
  const only = ['refuses-order-id-of-256', 'echo-accepts-key'];
  const { results } = await runConformance({ ...options, only, skip: ['refuses-order-id-of-256'] });
  expect(results).toMatchObject([
    { id: 'echo-accepts-key', verdict: 'pass', actual: { status: 200, mediaType: 'application/json' } },
    { id: 'refuses-order-id-of-256', verdict: 'skipped', reason: 'asked to be skipped' },
  ]);
});

test('tells each result as it is found', async () => {
  const { service, options } = await startOwnService();
  await using _ = service;
  const told: unknown[] = [];
  const { results } = await runConformance({
    ...options,
    only: harmless,
    onResult: (result, progress) => told.push([result, progress]),
  });
  expect(told).toEqual(results.map((result, index) => [result, { done: index + 1, total: harmless.length }]));
});

test('a service that is not there is an error in every case', async () => {
  const { service, options } = await startOwnService();
  await service.close();
  const { results, counts } = await runConformance(options);
  expect(counts).toEqual({ pass: 0, differs: 0, skipped: 0, error: ids.length });
  expect(results[0]?.reason).toMatch(
    /^not sent, because to a plain echo no whole answer came: .*ECONNREFUSED/,
  );
});

test('a stalled service is asked once for each operation', async () => {
  const urls: string[] = [];
  const stalled: ConformanceFetch = (url) => {
    urls.push(url);
    return new Promise(() => {});
  };
  const baseUrl = 'https://api.example.com';
  const { counts } = await runConformance({ ...everything, baseUrl, fetch: stalled, timeoutMs: 30 });
  expect(counts.error).toBe(ids.length);
  expect(urls).toHaveLength(2);
});

test('a service that refuses everything proves none of its refusals', async () => {
  await using service = await startAnswering((_, response) => response.writeHead(401).end());
  const { results } = await runConformance({ ...everything, baseUrl: service.url });
  for (const { id, verdict, expected } of results) {
    expect([id, verdict]).toEqual([id, expected === 'accepted (2xx)' ? 'differs' : 'error']);
  }
  expect(results.at(-1)?.reason).toBe(
    'not sent, because a plain update was answered with 401, so the case would prove nothing',
  );
});

test('a service that accepts everything differs in every refusal', async () => {
  await using service = await startAnswering((_, response) => response.writeHead(204).end());
  const { results } = await runConformance({ ...everything, baseUrl: service.url });
  for (const { id, verdict, expected } of results) {
    expect([id, verdict]).toEqual([id, expected === 'refused (4xx)' ? 'differs' : 'pass']);
  }
});

test.each([307, 429, 500])('an answer of %d throughout is an error in every case', async (status) => {
  await using service = await startAnswering((_, response) =>
    response.writeHead(status, { location: '/v2/elsewhere' }).end(),
  );
  const { counts } = await runConformance({ ...everything, baseUrl: service.url });
  expect(counts.error).toBe(ids.length);
});

test('a case whose first update is refused cannot be judged', async () => {
  await using service = await startAnswering(async (request, response) => {
    const body = String((await request.toArray()).join(''));
    response.writeHead(body.includes('order_id') ? 422 : 200).end();
  });
  const only = ['update-refuses-order-id-as-token'];
  const { results } = await runConformance({ ...everything, baseUrl: service.url, only });
  expect(results).toMatchObject([{ verdict: 'error', reason: 'the update before it was answered with 422' }]);
});

test('shows where a redirect points, and does not go there', async () => {
  const paths: unknown[] = [];
  await using service = await startAnswering((request, response) => {
    paths.push(request.url);
    response.writeHead(301, { location: 'https://elsewhere.example/' }).end();
  });
  const { results } = await runConformance({
    ...everything,
    baseUrl: service.url,
    only: ['echo-accepts-key'],
  });
  expect(results).toMatchObject([
    { verdict: 'error', actual: { status: 301, location: 'https://elsewhere.example/' } },
  ]);
  expect(new Set(paths)).toEqual(new Set(['/v2/echo_with_private_key']));
});

test('keeps the prefix of a base URL, and encodes a token as one segment', async () => {
  const seen = new Set<unknown>();
  await using service = await startAnswering((request, response) => {
    seen.add(request.url);
    response.writeHead(204).end();
  });
  await runConformance({
    ...everything,
    baseUrl: `${service.url}/staging/`,
    orderToken: 'a/b c',
    only: ['echo-accepts-key', 'accepts-cart-alone'],
  });
  expect([...seen]).toEqual(['/staging/v2/echo_with_private_key', '/staging/v2/orders/a%2Fb%20c']);
});

test('sends through a fetch of its own', async () => {
  const { service, options } = await startOwnService();
  await using _ = service;
  const urls: string[] = [];
  const own: ConformanceFetch = (url, init) => {
    urls.push(url);
    return fetch(url, init);
  };
  const { counts } = await runConformance({ ...options, only: ['echo-accepts-key'], fetch: own });
  expect(counts.pass).toBe(1);
  expect(urls).toHaveLength(2);
});

test('ends with the reason of its signal', async () => {
  const stop = new AbortController();
  await using service = await startAnswering(() => stop.abort('enough'));
  const running = runConformance({ ...everything, baseUrl: service.url, signal: stop.signal });
  await expect(running).rejects.toBe('enough');
});

test('no key and no token is in a report, however the service echoes them', async () => {
  const ways: ((text: string) => string)[] = [
    (text) => text,
    (text) => JSON.stringify({ received: text }),
    (text) => Buffer.from(text).toString('base64'),
    (text) => Buffer.from(text).toString('hex'),
    encodeURIComponent,
    (text) => `${'.'.repeat(140)}${text}`,
  ];
  const secrets = [KEY, OTHER_KEY, 'ord_0123456789'];
  for (const [index, write] of ways.entries()) {
    await using service = await startAnswering((request, response) => {
      const { authorization = '' } = request.headers;
      const [, encoded = ''] = authorization.split(' ');
      const everySecret = [authorization, Buffer.from(encoded, 'base64'), request.url, ...secrets].join(' ');
      response
        .writeHead(index % 2 === 0 ? 200 : 307, {
          'content-type': write(everySecret),
          location: write(everySecret),
        })
        .end(write(everySecret));
    });
    const report = await runConformance({
      ...everything,
      apiKey: KEY,
      otherTypeKey: OTHER_KEY,
      baseUrl: service.url,
    });
    const text = JSON.stringify(report);
    expect(text).toContain('[key]');
    for (const secret of secrets) {
      for (const form of [
        secret,
        btoa(`${secret}:`),
        btoa(`:${secret}`),
        btoa(secret),
        Buffer.from(secret).toString('hex'),
      ]) {
        expect(text).not.toContain(form.replace(/=+$/, ''));
      }
    }
  }
});

test('no piece of a key is in a report, where an answer ends within it', async () => {
  const apiKey = `sekret${'k'.repeat(3_000)}`;
  const answers = [
    `HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n${apiKey.slice(0, -1)}`,
    // More than is read; once the whole keys are taken out, what is left is short enough to be quoted.
    `HTTP/1.1 200 OK\r\n\r\n${apiKey.repeat(30)}`,
  ];
  for (const answer of answers) {
    await using service = await startRawAnswering((socket) => socket.end(answer));
    const report = await runConformance({ apiKey, baseUrl: service.url, only: harmless });
    expect(JSON.stringify(report)).not.toContain('sekret');
  }
});

test('a service that answers garbage never makes it reject', async () => {
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
  const answer = fc
    .tuple(line, fc.array(header, { maxLength: 3 }), fc.uint8Array({ maxLength: 60 }))
    .map(([first, headers, body]) =>
      Buffer.concat([Buffer.from([first, ...headers, '', ''].join('\r\n'), 'latin1'), body]),
    );
  const only = [...harmless, 'accepts-cart-alone', 'refuses-body-not-json', 'update-answers-json-text'];
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 12 }), async (answers) => {
      let turn = 0;
      await using service = await startRawAnswering((socket) =>
        socket.end(answers[turn++ % answers.length] ?? ''),
      );
      const { results } = await runConformance({ ...everything, baseUrl: service.url, only, timeoutMs: 500 });
      expect(results).toHaveLength(only.length);
    }),
    { numRuns: 60 },
  );
});

test('a fetch that does anything at all never makes it reject', async () => {
  const deed = fc.oneof(
    fc.anything().map(
      (thrown): ConformanceFetch =>
        () =>
          Promise.reject(thrown),
    ),
    // Not what the type says, as from a fetch that was made without types.
    fc.anything().map(
      (value): ConformanceFetch =>
        async () =>
          value as never,
    ),
    fc.record({ status: fc.integer(), text: fc.string(), type: fc.option(fc.string()) }).map(
      ({ status, text, type }): ConformanceFetch =>
        async () => ({
          status,
          headers: { get: () => type },
          body: new Blob([text]).stream(),
        }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 9 }), async (deeds) => {
      let turn = 0;
      const { results } = await runConformance({
        ...everything,
        baseUrl: 'https://api.example.com',
        fetch: (url, init) => (deeds[turn++ % deeds.length] as ConformanceFetch)(url, init),
      });
      expect(JSON.parse(JSON.stringify(results))).toHaveLength(ids.length);
    }),
    { numRuns: 100 },
  );
});
