import { expect, test } from 'vitest';
import { type ClassifyResponse, getRetryAfterMs, interpretResponse, treat503AsRejected } from './response.ts';
import type { TransportResult } from './transport.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };
const html = { 'content-type': 'text/html' };
const context = {
  redact: (text: string) => text,
  classifyResponse: undefined,
  now: 0,
  limit: '15000 ms (timeouts.attempt)',
  backoffMs: () => 700,
};

function response(status: number, headers: Record<string, string> = json, text = '{}'): TransportResult {
  return { failure: undefined, sent: true, response: { status, headers, text } };
}

function failure(given: Partial<TransportResult>): TransportResult {
  return { failure: 'connection', sent: true, response: undefined, cause: new Error('x'), ...given };
}

const head = { status: 200, headers: json, text: '{"a' };

const rows = [
  ['a refused connection', failure({ sent: false }), 'not_sent', 'connection_error'],
  ['a connect timeout', failure({ sent: false, failure: 'timeout' }), 'not_sent', 'timeout'],
  ['an abort before sending', failure({ sent: false, failure: 'aborted' }), 'not_sent', 'aborted'],
  ['a reset after sending', failure({}), 'unknown', 'connection_error'],
  ['a timeout after sending', failure({ failure: 'timeout' }), 'unknown', 'timeout'],
  ['an abort after sending', failure({ failure: 'aborted' }), 'unknown', 'aborted'],
  ['a truncated 200', failure({ response: head }), 'applied', 'invalid_response'],
  ['a stalled 200', failure({ response: head, failure: 'timeout' }), 'applied', 'timeout'],
  [
    'a 200 that is too large',
    failure({ response: head, failure: 'too_large' }),
    'applied',
    'invalid_response',
  ],
  ['an abort while reading a 200', failure({ response: head, failure: 'aborted' }), 'applied', 'aborted'],
  ['a truncated HTML 200', failure({ response: { ...head, headers: html } }), 'unknown', 'invalid_response'],
  [
    'a stalled HTML 200',
    failure({ response: { ...head, headers: html }, failure: 'timeout' }),
    'unknown',
    'timeout',
  ],
  ['a truncated 409', failure({ response: { ...head, status: 409 } }), 'rejected', 'http_error'],
  ['a truncated 500', failure({ response: { ...head, status: 500 } }), 'unknown', 'http_error'],
  ['a 200 that is not JSON', response(200, json, '{"a'), 'applied', 'invalid_response'],
  ['a 200 page of HTML', response(200, html, '<p>'), 'unknown', 'invalid_response'],
  ['a 200 without a media type', response(200, {}, '{}'), 'unknown', 'invalid_response'],
  ['an empty 200 of HTML', response(200, html, ''), 'unknown', 'invalid_response'],
  ...[301, 303, 408, 500, 502, 503, 504, 520, 799].map(
    (status) => [`a ${status}`, response(status), 'unknown', 'http_error'] as const,
  ),
  ...[400, 401, 403, 404, 409, 422, 429].map(
    (status) => [`a ${status}`, response(status), 'rejected', 'http_error'] as const,
  ),
  ['a 503 with Retry-After', response(503, { ...json, 'retry-after': '1' }), 'unknown', 'http_error'],
  ...[403, 404, 405, 410].flatMap((status) =>
    [
      [
        `a ${status} with an HTML page`,
        response(status, { 'content-type': 'Text/HTML;charset=utf-8' }, '<p>'),
      ],
      [
        `a ${status} with an XHTML page`,
        response(status, { 'content-type': 'application/xhtml+xml' }, '<p>'),
      ],
      [`a ${status} page without a media type`, response(status, {}, '\n <!DOCTYPE html>\n<p>')],
      [`a ${status} page without a doctype`, response(status, {}, '<html lang="en">')],
    ].map(
      ([name, page]) =>
        [name, page, 'unknown', 'http_error'] as [string, TransportResult, 'unknown', 'http_error'],
    ),
  ),
  ['a 404 that is no page', response(404, {}, 'not found'), 'rejected', 'http_error'],
  ...(['connection', 'timeout', 'too_large'] as const).map(
    (reason) =>
      [
        `a 404 without a media type whose body broke off (${reason})`,
        failure({ failure: reason, response: { status: 404, headers: {}, text: '<!do' } }),
        'unknown',
        'http_error',
      ] as const,
  ),
  [
    'a 404 with two media types of HTML',
    response(404, { 'content-type': 'text/html, text/html' }, '<p>'),
    'unknown',
    'http_error',
  ],
  ['a 404 in JSON about pages', response(404, json, '<html'), 'rejected', 'http_error'],
  ['an empty 404', response(404, {}, ''), 'rejected', 'http_error'],
  ['a 401 with an HTML page', response(401, html, '<p>'), 'rejected', 'http_error'],
  [
    'a truncated HTML 404',
    failure({ response: { status: 404, headers: html, text: '<ht' } }),
    'unknown',
    'http_error',
  ],
] as const;

test.each(rows.map(([name, given, outcome, code]) => [name, outcome, code, given] as const))(
  '%s is %s, %s',
  (_name, outcome, code, given) => {
    expect(interpretResponse(given, context)).toMatchObject({ outcome, code });
  },
);

test('a timeout has the phase in which it came', () => {
  const phase = (given: Partial<TransportResult>) =>
    interpretResponse(failure({ failure: 'timeout', ...given }), context);
  expect(phase({ sent: false })).toMatchObject({ phase: 'connect' });
  expect(phase({})).toMatchObject({ phase: 'headers' });
  expect(phase({ response: head })).toMatchObject({ phase: 'body' });
});

test.each([
  [response(200, json, '{"a":1}'), { a: 1 }],
  [response(299, { 'content-type': 'application/problem+json' }, 'null'), null],
  [response(204, {}, ''), undefined],
  [response(200, {}, ''), undefined],
  [response(200, json, ''), undefined],
])('parses the data of a success', (given, data) => {
  const result = interpretResponse(given, context);
  expect(result).toMatchObject({ outcome: 'applied', data });
  expect(result).not.toHaveProperty('code');
});

test('of the rejected, only a 429 and a 503 classified as rejected are retryable', () => {
  const retryable = (status: number, headers = {}, classifyResponse?: ClassifyResponse): boolean => {
    const result = interpretResponse(response(status, { ...json, ...headers }), {
      ...context,
      classifyResponse,
    });
    return result.outcome === 'rejected' && result.retryable === true;
  };
  const after = { 'retry-after': '1' };
  expect(retryable(429)).toBe(true);
  expect(retryable(503, after, treat503AsRejected)).toBe(true);
  expect(retryable(503, {}, treat503AsRejected)).toBe(true);
  for (const status of [400, 401, 403, 404, 409, 410, 422]) expect(retryable(status, after)).toBe(false);
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

test('a 429 without Retry-After reports the pause that the client takes', () => {
  expect(interpretResponse(response(429), context)).toMatchObject({ retryAfterMs: 700 });
  expect(interpretResponse(response(429, { ...json, 'retry-after': '9' }), context)).toMatchObject({
    retryAfterMs: 9_000,
  });
  expect(interpretResponse(response(503), context)).toMatchObject({ retryAfterMs: undefined });
});

test.each([
  ['throws', () => Reflect.get(Object.create(null), Symbol())()],
  ['throws a symbol', () => thrown(Symbol('why'))],
  ['throws an object without a prototype', () => thrown(Object.create(null))],
  ['returns a string that is no outcome', () => 'ok'],
  ['returns a promise', async () => 'applied'],
])('when classifyResponse %s, only a success in JSON is believed', (_name, junk) => {
  const classifyResponse = junk as unknown as ClassifyResponse;
  const interpreted = (given: TransportResult) => interpretResponse(given, { ...context, classifyResponse });
  expect(interpreted(response(200))).toMatchObject({ outcome: 'applied', code: 'invalid_response' });
  expect(interpreted(response(200, html))).toMatchObject({ outcome: 'unknown' });
  for (const status of [429, 404, 500]) {
    expect(interpreted(response(status))).toMatchObject({ outcome: 'unknown', retryable: false });
  }
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

test('classifyResponse overrides a default', () => {
  const classifyResponse = ({ status }: { status: number }) =>
    status === 409 ? 'applied' : status === 200 ? 'rejected' : undefined;
  expect(interpretResponse(response(409, json, '{"a":1}'), { ...context, classifyResponse })).toMatchObject({
    outcome: 'applied',
    data: { a: 1 },
  });
  expect(interpretResponse(response(200), { ...context, classifyResponse })).toMatchObject({
    outcome: 'rejected',
  });
  expect(interpretResponse(response(500), { ...context, classifyResponse })).toMatchObject({
    outcome: 'unknown',
  });
});

test.each<[what: string, TransportResult]>([
  ['429, too many requests', response(429, { ...json, 'retry-after': '90' })],
  ['503', response(503, { ...json, 'retry-after': '5' })],
  ['404 with an HTML page, which is not the service’s: check the base URL', response(404, html, '<p>')],
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

test('an error body that did not arrive whole is not kept, since it may end inside the key', () => {
  const cut = failure({ response: { ...head, status: 422 } });
  expect(interpretResponse(cut, context)).toMatchObject({ response: { status: 422, body: '' } });
});

const now = Date.parse('2026-11-21T12:00:00Z');

test.each([
  ['120', 120_000],
  ['0', 0],
  [' 5 ', 5_000],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
  ['Saturday, 21-Nov-26 12:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 11:59:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', Date.UTC(9999, 11, 31, 23, 59, 59) - now],
  ['1.5', 1_500],
  ['999999999', 999_999_999_000],
  // A Unix time, in seconds.
  [String(now / 1_000 + 30), 30_000],
  ['9999999999', 9_999_999_999_000 - now],
])('reads Retry-After %j', (value, ms) => {
  expect(getRetryAfterMs({ status: 503, headers: { 'retry-after': value } }, now)).toBe(ms);
});

test.each(['', '-1', '1.', 'soon', '1e3', 'Sat, never', undefined])('ignores Retry-After %j', (value) => {
  expect(getRetryAfterMs({ status: 503, headers: { 'retry-after': value } }, now)).toBeUndefined();
});

test('reads the reset of a rate limit for a 429 without Retry-After', () => {
  expect(getRetryAfterMs({ status: 429, headers: { 'ratelimit-reset': '7' } }, now)).toBe(7_000);
  expect(getRetryAfterMs({ status: 429, headers: { 'x-ratelimit-reset': '0.5' } }, now)).toBe(500);
  expect(
    getRetryAfterMs({ status: 429, headers: { 'x-ratelimit-reset': String(now / 1_000 + 9) } }, now),
  ).toBe(9_000);
  expect(getRetryAfterMs({ status: 429, headers: { 'retry-after': '1', 'ratelimit-reset': '7' } }, now)).toBe(
    1_000,
  );
});

test('does not read the reset of a rate limit for other statuses', () => {
  expect(getRetryAfterMs({ status: 503, headers: { 'ratelimit-reset': '7' } }, now)).toBeUndefined();
  expect(getRetryAfterMs({ status: 429, headers: {} }, now)).toBeUndefined();
});

function thrown(value: unknown): never {
  throw value;
}
