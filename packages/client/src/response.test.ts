import { expect, test } from 'vitest';
import { type ClassifyResponse, interpretResponse, treat503AsRejected } from './response.ts';
import type { TransportResult } from './transport.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };
const html = { 'content-type': 'text/html' };
const context = {
  redact: (text: string) => text,
  authorization: 'Basic a2V5Og==',
  classifyResponse: undefined,
  now: 0,
  limit: '15000 ms (timeouts.attempt)',
  backoffMs: () => 700,
};

function response(status: number, headers: Record<string, string> = json, text = '{}'): TransportResult {
  return { failure: undefined, sent: true, response: { status, headers, text, isUtf8: true } };
}

function failure(given: Partial<TransportResult>): TransportResult {
  return { failure: 'connection', sent: true, response: undefined, cause: new Error('x'), ...given };
}

const page = (status: number, type: string) => response(status, { 'content-type': type }, '<p>');
const cut = (status: number, headers: Record<string, string>) =>
  failure({ response: { status, headers, text: '<!do', isUtf8: true } });

// test/faults.test.ts tests the other rows of the table, over real sockets.
test.each<[name: string, outcome: string, code: string, given: TransportResult]>([
  ['a truncated HTML 200', 'unknown', 'invalid_response', cut(200, html)],
  ['a stalled HTML 200', 'unknown', 'timeout', { ...cut(200, html), failure: 'timeout' }],
  ['a truncated 409', 'rejected', 'http_error', cut(409, json)],
  ['a truncated 500', 'unknown', 'http_error', cut(500, json)],
  ['a 200 without a media type', 'unknown', 'invalid_response', response(200, {}, '{}')],
  ['an empty 200 of HTML', 'unknown', 'invalid_response', response(200, html, '')],
  ...[403, 404, 405, 410].flatMap((status): [string, string, string, TransportResult][] => [
    [`a ${status} with an HTML page`, 'unknown', 'http_error', page(status, 'Text/HTML;charset=utf-8')],
    [`a ${status} with an XHTML page`, 'unknown', 'http_error', page(status, 'application/xhtml+xml')],
    [`a ${status} page by its doctype`, 'unknown', 'http_error', response(status, {}, '\n <!DOCTYPE html>')],
    [`a ${status} page by its first tag`, 'unknown', 'http_error', response(status, {}, '<html lang="en">')],
    [`a ${status} without a media type that broke off`, 'unknown', 'http_error', cut(status, {})],
    [`an empty ${status}`, 'rejected', 'http_error', response(status, {}, '')],
  ]),
  ['a truncated HTML 404', 'unknown', 'http_error', cut(404, html)],
  ['a 404 with two media types of HTML', 'unknown', 'http_error', page(404, 'text/html, text/html')],
  ['a 404 that is no page', 'rejected', 'http_error', response(404, {}, 'not found')],
  ['a 404 in JSON about pages', 'rejected', 'http_error', response(404, json, '<html')],
  ['a 401 with an HTML page', 'rejected', 'http_error', page(401, 'text/html')],
])('%s is %s, %s', (_name, outcome, code, given) => {
  expect(interpretResponse(given, context)).toMatchObject({ outcome, code });
});

test('a success may have any media type of JSON, and JSON may be null', () => {
  const problem = { 'content-type': 'application/problem+json' };
  expect(interpretResponse(response(299, problem, 'null'), context)).toMatchObject({
    outcome: 'applied',
    data: null,
  });
});

test('a 204 has no body, whatever media type it names, and so has what classifyResponse calls applied', () => {
  const success = { outcome: 'applied', data: undefined };
  expect(interpretResponse(response(204, html, ''), context)).toMatchObject(success);
  const applied = { ...context, classifyResponse: () => 'applied' as const };
  for (const status of [200, 204, 409])
    expect(interpretResponse(response(status, html, ''), applied)).toMatchObject(success);
  expect(interpretResponse(response(200, html, '<p>'), applied)).toMatchObject({ code: 'invalid_response' });
  expect(interpretResponse(cut(204, html), context)).toMatchObject({ outcome: 'unknown' });
});

test('treat503AsRejected leaves a 503 that is not in JSON unknown, and all else as it is', () => {
  const outcome = (status: number, headers: Record<string, string>): string =>
    interpretResponse(response(status, headers), { ...context, classifyResponse: treat503AsRejected })
      .outcome;
  expect(outcome(503, json)).toBe('rejected');
  expect(outcome(503, {})).toBe('unknown');
  expect(outcome(503, html)).toBe('unknown');
  expect(outcome(502, json)).toBe('unknown');
  expect(outcome(200, json)).toBe('applied');
});

test('classifyResponse cannot change the response that is interpreted', () => {
  const classifyResponse: ClassifyResponse = ({ headers }) => {
    Reflect.deleteProperty(headers, 'content-type');
    return undefined;
  };
  expect(interpretResponse(response(200), { ...context, classifyResponse })).toMatchObject({
    headers: json,
    data: {},
  });
});

test.each([
  [409, 'applied', { outcome: 'applied', data: {} }],
  [200, 'rejected', { outcome: 'rejected' }],
  [500, undefined, { outcome: 'unknown' }],
] as const)('classifyResponse overrides the default of a %i by %s', (status, classified, expected) => {
  const classifyResponse = () => classified;
  expect(interpretResponse(response(status), { ...context, classifyResponse })).toMatchObject(expected);
});

test.each<[what: string, TransportResult]>([
  ['429, too many requests', response(429, { ...json, 'retry-after': '90' })],
  ['503', response(503, { ...json, 'retry-after': '5' })],
  ['404 with an HTML page, not from the service: check the base URL', response(404, html, '<p>')],
  [
    'timed out waiting for a response after 15000 ms (timeouts.attempt)',
    failure({ failure: 'timeout', cause: undefined }),
  ],
])('describes the failure: %s', (what, given) => {
  expect(interpretResponse(given, context)).toMatchObject({ what });
});

test('an HTTP error has the response and its Retry-After', () => {
  const headers = { ...json, 'retry-after': '5' };
  expect(interpretResponse(response(503, headers), context)).toMatchObject({
    retryAfterMs: 5_000,
    response: { status: 503, headers, body: '{}' },
  });
});

test('an error body is redacted as far as it is kept, however long it is', () => {
  const asked: (number | undefined)[] = [];
  const redact = (text: string, length?: number): string => {
    if (text.length > 1_000) asked.push(length);
    return text.slice(0, length);
  };
  const long = response(500, json, 'x'.repeat(2 ** 20));
  expect(interpretResponse(long, { ...context, redact })).toMatchObject({ code: 'http_error' });
  expect(asked).toEqual([8_192]);
});
