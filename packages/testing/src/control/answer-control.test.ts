import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildSources, control } from '../../test/control-sources.ts';
import { inFull } from '../../test/in-full.ts';
import type { ControlSources } from './control-route.ts';
import { CONTROL_ROUTES, matchPath } from './control-routes.ts';

const codeOf = ({ json }: { json: unknown }) => (json as { error: { code: string } }).error.code;

test('lists its routes', async () => {
  for (const line of ['GET /', 'GET ', 'HEAD /']) {
    const { status, headers, json } = await control(buildSources(), line);
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(json).toEqual({
      routes: CONTROL_ROUTES.map(({ method, path, does }) => ({ method, path, does })),
    });
  }
});

test('each route that it lists is there', async () => {
  for (const { method, path } of CONTROL_ROUTES) {
    const { status, json } = await control(buildSources(), `${method} ${path.replace('<id>', 'evt_1')}`);
    const isMissing = status === 404 && codeOf({ json }) === 'route_not_found';
    expect([path, isMissing, status === 405]).toEqual([path, false, false]);
  }
});

test.each([
  'GET /fault',
  'GET /faults/',
  'POST /webhooks//replay',
  'POST /webhooks/a/b/replay',
  'POST /webhooks/%/replay',
])('answers %s with 404', async (line) => {
  const answer = await control(buildSources(), line);
  expect([answer.status, codeOf(answer)]).toEqual([404, 'route_not_found']);
});

test.each([
  ['PUT /faults', 'GET, HEAD, POST, DELETE'],
  ['POST /journal', 'GET, HEAD'],
  ['OPTIONS /webhooks', 'GET, HEAD, POST'],
  ['GET /webhooks/evt_1/replay', 'POST'],
  ['PATCH /', 'GET, HEAD'],
])('answers %s with 405 and what it takes', async (line, allow) => {
  const answer = await control(buildSources(), line);
  expect([answer.status, codeOf(answer), answer.headers['allow']]).toEqual([
    405,
    'method_not_allowed',
    allow,
  ]);
});

test.each([
  ['another site', 'http://example.test'],
  ['another port', 'http://127.0.0.1:4011'],
  ['an opaque one', 'null'],
  ['two at once', 'http://127.0.0.1:4010, http://127.0.0.1:4010'],
  ['none at all', ''],
])('refuses a page of an origin that is %s, whatever it asks', async (_what, origin) => {
  const sources = buildSources();
  sources.faults.always({ fault: 'none' });
  sources.faults.next({ fault: 'empty' });
  for (const line of ['GET /', 'DELETE /faults', 'POST /webhooks', 'GET /nowhere']) {
    const answer = await control(sources, line, { headers: { origin } });
    expect([answer.status, codeOf(answer)]).toEqual([403, 'origin_refused']);
    expect(Object.keys(answer.headers).join()).not.toMatch(/access-control/);
  }
  expect(sources.faults.waiting).toHaveLength(1);
});

test('takes a page of its own origin, with a default port or without', async () => {
  const statusOf = async (origin: string, host: string) =>
    (await control(buildSources(), 'GET /', { headers: { origin, host } })).status;
  expect(await statusOf('http://127.0.0.1:4010', '127.0.0.1:4010')).toBe(200);
  expect(await statusOf('http://LOCALHOST', 'localhost:80')).toBe(200);
  expect(await statusOf('http://[::1]:4010', '[::1]:4010')).toBe(200);
});

test.each([
  [{ 'content-type': 'text/plain' }],
  [{ 'content-type': 'application/x-www-form-urlencoded' }],
  [{ 'content-type': undefined }],
  [{ 'content-encoding': 'gzip' }],
])('refuses a body with %j', async (headers) => {
  for (const line of ['POST /faults', 'POST /webhooks', 'POST /webhooks/evt_1/replay']) {
    const answer = await control(buildSources(), line, { headers, body: { when: 'next', play: [] } });
    expect([answer.status, codeOf(answer)]).toEqual([415, 'media_type_unsupported']);
  }
});

test.each([['{'], [''], [Buffer.from([0x22, 0xff, 0x22])], ['\ufeff{}']])(
  'refuses %j, which is not JSON in UTF-8',
  async (body) => {
    const answer = await control(buildSources(), 'POST /faults', { body });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'body_not_json']);
  },
);

test.each(['GET /?x=1', 'GET /journal?token=a', 'GET /ledger?after=0&after=0', 'GET /orders?__proto__=1'])(
  'refuses the query of %s',
  async (line) => {
    const answer = await control(buildSources(), line);
    expect([answer.status, codeOf(answer)]).toEqual([422, 'query_refused']);
  },
);

test('tells of a failure inside as an answer', async () => {
  const sources: ControlSources = {
    ...buildSources(),
    get ledger(): never {
      throw new RangeError('Invalid string length');
    },
  };
  const answer = await control(sources, 'GET /ledger');
  expect([answer.status, codeOf(answer)]).toEqual([500, 'control_failed']);
});

test('matches a segment that stands in for an id, decoded once', () => {
  expect(matchPath('/a/<id>/b', '/a/x%2Fy%2525/b')).toBe('x/y%25');
  expect(matchPath('/a/<id>/b', '/a/b')).toBeUndefined();
  expect(matchPath('/a', '/a')).toBe('');
});

const rule = fc.record(
  {
    when: fc.oneof(fc.constantFrom('next', 'always', 'sometimes'), fc.jsonValue()),
    play: fc.oneof(
      fc.record({ fault: fc.constantFrom('none', 'status', 'latency'), status: fc.jsonValue() }),
      fc.jsonValue(),
    ),
    times: fc.jsonValue(),
    probability: fc.double(),
  },
  { requiredKeys: [] },
);
const event = fc.record(
  {
    event: fc.oneof(fc.string(), fc.jsonValue()),
    token: fc.oneof(fc.constant('ord_1'), fc.jsonValue()),
    session_id: fc.jsonValue(),
    fields: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    url: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const anyJson = fc.oneof(fc.jsonValue(), rule, fc.array(rule), event);

test('whatever JSON is sent to whatever route is answered, and never with a failure inside', async () => {
  const sources = buildSources();
  const anyPath = fc.oneof(
    fc.constantFrom(...CONTROL_ROUTES.map(({ path }) => path), '/webhooks/evt_1/replay'),
    fc.webPath(),
  );
  const anyMethod = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'HEAD');
  const anyQuery = fc.constantFrom('', '?after=1', '?after=x', '?token=ord_1', '?%', '?after=%ff');
  await fc.assert(
    fc.asyncProperty(anyMethod, anyPath, anyQuery, anyJson, async (method, path, query, body) => {
      const { status } = await control(sources, `${method} ${path}${query}`, { body });
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: inFull ? 2_000 : 400 },
  );
});
