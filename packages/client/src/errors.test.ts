import { expect, expectTypeOf, test } from 'vitest';
import { type AttemptFailure, ConnectionError, createError, HttpError, OrdersError } from './errors.ts';
import type { Operation, Outcome } from './operation.ts';
import { echoOperation } from './update-order.ts';

const update: Operation = {
  method: 'PATCH',
  path: '/v2/orders/order_1234',
  lane: 'order_1234',
  idempotent: false,
  body: '{}',
};
const tooMany: AttemptFailure = {
  code: 'http_error',
  outcome: 'rejected',
  what: '429, too many requests',
  status: 429,
  retryable: true,
  retryAfterMs: 4_200,
};
const reset: AttemptFailure = {
  code: 'connection_error',
  outcome: 'unknown',
  what: 'the connection broke before a response came (ECONNRESET)',
  retryable: true,
};

/** The error of a call whose attempts had these outcomes, the last of which failed so. */
function fail(failure: AttemptFailure, outcomes: Outcome[] = [failure.outcome], operation = update) {
  const attempts = outcomes.map((outcome) => ({ startedAfterMs: 0, durationMs: 1, outcome }));
  return createError({ operation, attempts, host: 'orders.example', bodyBytes: 2, calledAt: 0 }, failure);
}

test('a message names the request, the failure, the outcome, and when to try again', () => {
  expect(fail(tooMany).message).toBe(
    'PATCH /v2/orders/…1234: 429, too many requests. The update was not applied. Try again in 5 s.',
  );
  expect(fail(reset).message).toBe(
    'PATCH /v2/orders/…1234: the connection broke before a response came (ECONNRESET). Whether the update was applied is unknown.',
  );
  expect(fail(reset, ['unknown'], echoOperation).message).toMatch(
    /^GET \/v2\/echo_with_private_key: .* Whether the key was accepted is unknown\.$/,
  );
});

test('a message shows three issues and the number of the others', () => {
  const issues = ['a', 'b', 'c', 'd', 'e'].map((path) => ({
    path,
    code: 'required',
    message: 'Expected it',
  }));
  const error = fail(
    { code: 'validation_error', outcome: 'not_sent', what: 'the update is invalid', issues },
    [],
  );
  expect(error.message).toBe(
    'PATCH /v2/orders/…1234: the update is invalid. The update was not sent. a: Expected it. | b: Expected it. | c: Expected it. | and 2 more in issues',
  );
});

test('an earlier attempt with an unknown outcome makes the call unknown, and not retryable', () => {
  const error = fail(tooMany, ['unknown', 'rejected']);
  expect(error).toMatchObject({ outcome: 'unknown', retryable: false, attemptCount: 2 });
  expect(error.message).toMatch(/Whether the update was applied is unknown\.$/);
});

test('an unknown outcome is retryable for the echo alone', () => {
  expect(fail(reset).retryable).toBe(false);
  expect(fail(reset, ['unknown'], echoOperation).retryable).toBe(true);
});

test('a code narrows an OrdersError, and its class accepts its own errors alone', () => {
  const error: unknown = fail(tooMany);
  if (!(error instanceof OrdersError && error.code === 'http_error')) throw error;
  expectTypeOf(error).toEqualTypeOf<HttpError>();
  expect([error instanceof HttpError, error instanceof ConnectionError]).toEqual([true, false]);
  expect(fail(reset) instanceof ConnectionError).toBe(true);
});

test('the data of an HttpError is its body, if that is whole JSON', () => {
  const dataOf = (body: string) =>
    fail({ ...tooMany, response: { status: 429, headers: {}, body } }) as HttpError;
  const bodies = ['{"code":1}', '12', '', '{"code":', '<html>', '1'.repeat(8_192)];
  expect(bodies.map((body) => dataOf(body).data)).toEqual([{ code: 1 }, 12, ...Array(4)]);
  expect(dataOf('{}').toJSON()).not.toHaveProperty('data');
});

test('a call has the request id of the last response that had one', () => {
  const idOf = (ids: readonly (string | undefined)[]) => {
    const attempts = ids.map((requestId) => ({
      startedAfterMs: 0,
      durationMs: 1,
      outcome: 'rejected' as const,
      ...(requestId !== undefined && { requestId }),
    }));
    const call = { operation: update, attempts, host: 'orders.example', bodyBytes: 2, calledAt: 0 };
    return createError(call, tooMany).requestId;
  };
  expect([idOf([]), idOf(['a', 'b']), idOf(['a', undefined])]).toEqual([undefined, 'b', 'a']);
});

test('OrdersError accepts the errors of another copy of the package', () => {
  const copy = Object.create({ [Symbol.for('@orders/client.OrdersError')]: true });
  const values = [fail(reset), copy, new Error('x'), null, 'x'];
  expect(values.map((value) => value instanceof OrdersError)).toEqual([true, true, false, false, false]);
});
