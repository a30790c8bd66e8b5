import { expect, test } from 'vitest';
import { type AttemptFailure, createError, isOrdersError } from './errors.ts';
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

test('isOrdersError accepts the errors of another copy of the package', () => {
  const copy = Object.create({ [Symbol.for('@orders/client.OrdersError')]: true });
  const values = [fail(reset), copy, new Error('x'), null, 'x'];
  expect(values.map(isOrdersError)).toEqual([true, true, false, false, false]);
});
