import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoff, type FailedAttempt, retryDelay } from './retry-policy.ts';

const half = (): number => 0.5;
const options = { maxAttempts: 3, unknownOutcome: false };

function failed(given: Partial<FailedAttempt>): FailedAttempt {
  return {
    outcome: 'not_sent',
    attempts: 1,
    invited: false,
    askedMs: undefined,
    remainingMs: 30_000,
    repeatable: false,
    ended: false,
    ...given,
  };
}

test('tries again what was not sent', () => {
  expect(retryDelay(failed({}), options, half)).toBe(500);
});

test('tries a rejected update again only when the service invites it, after the time it asks', () => {
  expect(retryDelay(failed({ outcome: 'rejected' }), options, half)).toBeUndefined();
  expect(retryDelay(failed({ outcome: 'rejected', invited: true, askedMs: 4_000 }), options, half)).toBe(
    4_000,
  );
});

test('never tries early when the time asked lies beyond the deadline', () => {
  const asked = failed({ outcome: 'rejected', invited: true, askedMs: 30_000 });
  expect(retryDelay(asked, options, half)).toBeUndefined();
});

test('never repeats an unknown update by itself, but repeats what may be repeated', () => {
  expect(retryDelay(failed({ outcome: 'unknown' }), options, half)).toBeUndefined();
  expect(retryDelay(failed({ outcome: 'unknown', repeatable: true }), options, half)).toBe(500);
  expect(retryDelay(failed({ outcome: 'unknown' }), { ...options, unknownOutcome: true }, half)).toBe(500);
});

test('never repeats what was applied, what the caller ended, or more than maxAttempts', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('not_sent', 'rejected', 'unknown', 'applied'),
      fc.boolean(),
      (outcome, invited) => {
        const eager = { maxAttempts: 3, unknownOutcome: true };
        const attempt = failed({ outcome, invited, repeatable: true });
        expect(retryDelay({ ...attempt, attempts: 3 }, eager, half)).toBeUndefined();
        expect(retryDelay({ ...attempt, ended: true }, eager, half)).toBeUndefined();
        expect(retryDelay(attempt, { ...eager, maxAttempts: 1 }, half)).toBeUndefined();
      },
    ),
  );
  expect(retryDelay(failed({ outcome: 'applied', repeatable: true }), options, half)).toBeUndefined();
});

test('pauses a random part of a bound that doubles from one second to eight', () => {
  const almostOne = (): number => 0.999_999;
  expect([1, 2, 3, 4, 5, 50].map((attempts) => Math.round(backoff(attempts, almostOne)))).toEqual([
    1_000, 2_000, 4_000, 8_000, 8_000, 8_000,
  ]);
  expect(backoff(1, () => 0)).toBe(0);
});
