import { expect, test } from 'vitest';
import type { CallEnd } from './errors.ts';
import type { Answer, Failure } from './exchange.ts';
import { judge } from './judge.ts';
import { Receipt } from './receipt.ts';

const operation = {
  method: 'PATCH',
  path: '',
  lane: 'order_1234',
  repeatable: false,
  body: undefined,
} as const;
const json = { 'content-type': 'application/json; charset=utf-8' };
const html = { 'content-type': 'text/html' };
const bench = {
  operation,
  scrub: (text: string) => text,
  classify: undefined,
  now: 0,
};
const receipt = new Receipt({ operation, bodyBytes: 0, calledAt: 0, attempts: [] });

function answer(status: number, headers: Record<string, string> = json, body = '{}'): Answer {
  return { type: 'answer', status, headers, text: body };
}

function failure(given: Partial<Failure>): Failure {
  return {
    type: 'failure',
    reason: 'connection',
    progress: 'sent',
    head: undefined,
    cause: new Error('x'),
    ...given,
  };
}

const head = { status: 200, headers: json, text: '{"a' };

test.each([
  ['a refused connection', failure({ progress: 'connecting' }), 'not_sent', 'connection_failed'],
  ['a connect timeout', failure({ progress: 'connecting', reason: 'timeout' }), 'not_sent', 'timeout'],
  ['an abort before sending', failure({ progress: 'connecting', reason: 'aborted' }), 'not_sent', 'aborted'],
  ['a reset after sending', failure({}), 'unknown', 'connection_failed'],
  ['a timeout after sending', failure({ reason: 'timeout' }), 'unknown', 'timeout'],
  ['an abort after sending', failure({ reason: 'aborted' }), 'unknown', 'aborted'],
  ['a truncated 200', failure({ progress: 'answering', head }), 'applied', 'invalid_response'],
  ['a stalled 200', failure({ progress: 'answering', head, reason: 'timeout' }), 'applied', 'timeout'],
  [
    'a 200 that is too large',
    failure({ progress: 'answering', head, reason: 'too_large' }),
    'applied',
    'invalid_response',
  ],
  [
    'an abort while reading a 200',
    failure({ progress: 'answering', head, reason: 'aborted' }),
    'applied',
    'aborted',
  ],
  [
    'a truncated HTML 200',
    failure({ progress: 'answering', head: { ...head, headers: html } }),
    'unknown',
    'invalid_response',
  ],
  [
    'a stalled HTML 200',
    failure({ progress: 'answering', head: { ...head, headers: html }, reason: 'timeout' }),
    'unknown',
    'timeout',
  ],
  [
    'a truncated 409',
    failure({ progress: 'answering', head: { ...head, status: 409 } }),
    'rejected',
    'http_error',
  ],
  [
    'a truncated 500',
    failure({ progress: 'answering', head: { ...head, status: 500 } }),
    'unknown',
    'http_error',
  ],
  ['a 200 that is not JSON', answer(200, json, '{"a'), 'applied', 'invalid_response'],
  ['a 200 page of HTML', answer(200, html, '<p>'), 'unknown', 'invalid_response'],
  ['a 200 without a media type', answer(200, {}, '{}'), 'unknown', 'invalid_response'],
  ['an empty 200 of HTML', answer(200, html, ''), 'unknown', 'invalid_response'],
  ...[301, 303, 408, 500, 502, 503, 504, 520, 799].map(
    (status) => [`a ${status}`, answer(status), 'unknown', 'http_error'] as const,
  ),
  ...[400, 401, 403, 404, 409, 422, 429].map(
    (status) => [`a ${status}`, answer(status), 'rejected', 'http_error'] as const,
  ),
  ['a 503 with Retry-After', answer(503, { ...json, 'retry-after': '1' }), 'rejected', 'http_error'],
  [
    'a 503 with a Retry-After that says nothing',
    answer(503, { ...json, 'retry-after': 'soon' }),
    'unknown',
    'http_error',
  ],
] as const)('%s is judged %3$s', (_name, exchange, outcome, code) => {
  const verdict = judge(exchange, bench);
  expect(verdict).toMatchObject({ ok: false, outcome, code });
  if (verdict.ok) return;
  const end: CallEnd = { outcome, attempts: 1, receipt };
  expect(verdict.error(end)).toMatchObject({ outcome, code, attempts: 1 });
});

test.each([
  [answer(200, json, '{"a":1}'), { a: 1 }],
  [answer(299, { 'content-type': 'application/problem+json' }, 'null'), null],
  [answer(204, {}, ''), undefined],
  [answer(200, {}, ''), undefined],
  [answer(200, json, ''), undefined],
])('a success gives its data', (exchange, data) => {
  expect(judge(exchange, bench)).toMatchObject({ ok: true, outcome: 'applied', data });
});

test('only 429, and 503 with Retry-After, invite another attempt', () => {
  const invited = (status: number, headers = {}): boolean => {
    const verdict = judge(answer(status, { ...json, ...headers }), bench);
    return !verdict.ok && verdict.invited;
  };
  const after = { 'retry-after': '1' };
  expect([429, 503].map((status) => invited(status, after))).toEqual([true, true]);
  expect(invited(429)).toBe(true);
  expect([503, 500, 400, 408].map((status) => invited(status))).toEqual([false, false, false, false]);
  expect(invited(500, after)).toBe(false);
});

test('classify overrides a row', () => {
  const classify = ({ status }: { status: number }) =>
    status === 409 ? 'applied' : status === 200 ? 'rejected' : undefined;
  expect(judge(answer(409, json, '{"a":1}'), { ...bench, classify })).toMatchObject({
    ok: true,
    data: { a: 1 },
  });
  expect(judge(answer(200), { ...bench, classify })).toMatchObject({ ok: false, outcome: 'rejected' });
  expect(judge(answer(500), { ...bench, classify })).toMatchObject({ ok: false, outcome: 'unknown' });
});

test('a message says what was attempted, what came, and what became of it', () => {
  const verdict = judge(answer(503, { ...json, 'retry-after': '90' }), bench);
  const error = verdict.ok ? undefined : verdict.error({ outcome: 'rejected', attempts: 1, receipt });
  expect(error?.message).toBe('PATCH /v2/orders/…1234: 503. The service did not take it. Try again in 90 s.');
  expect(error).toMatchObject({ status: 503, body: '{}', retryAfterMs: 90_000 });
});
