import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Call } from './call.ts';
import type { Defeat } from './judge.ts';
import { backoff, retryDelay } from './retry-policy.ts';

const half = (): number => 0.5;
const retry = { maxAttempts: 3, unknownOutcome: false };

/** The delay after a failed attempt, with 30 s left. */
function delayAfter({
  outcome = 'not_sent' as Defeat['outcome'],
  retryable = true,
  askedMs = undefined as number | undefined,
  attempts = 1,
  repeatable = false,
  aborted = false,
  options = retry,
}): number | undefined {
  const call = {
    attempts: Array(attempts).fill({ outcome }),
    operation: { repeatable },
    settings: { retry: options },
    deadline: { remainingMs: () => 30_000, signal: { aborted } },
  };
  const failure: Defeat = { code: 'connection_failed', what: '', outcome, retryable };
  return retryDelay(failure, call as unknown as Call, askedMs, half);
}

test.each(['not_sent', 'rejected'] as const)(
  'retries a %s update only when it may succeed later',
  (outcome) => {
    expect(delayAfter({ outcome })).toBe(500);
    expect(delayAfter({ outcome, askedMs: 4_000 })).toBe(4_000);
    expect(delayAfter({ outcome, retryable: false })).toBeUndefined();
  },
);

test('never tries early when the time asked lies beyond the deadline', () => {
  expect(delayAfter({ outcome: 'rejected', askedMs: 30_000 })).toBeUndefined();
});

test('never repeats an unknown update by itself, but repeats what may be repeated', () => {
  expect(delayAfter({ outcome: 'unknown' })).toBeUndefined();
  expect(delayAfter({ outcome: 'unknown', repeatable: true })).toBe(500);
  expect(delayAfter({ outcome: 'unknown', options: { ...retry, unknownOutcome: true } })).toBe(500);
});

test('never repeats what was applied, what the caller ended, or more than maxAttempts', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('not_sent', 'rejected', 'unknown', 'applied'),
      fc.boolean(),
      (outcome, retryable) => {
        const options = { maxAttempts: 3, unknownOutcome: true };
        const attempt = { outcome, retryable, repeatable: true, options };
        expect(delayAfter({ ...attempt, attempts: 3 })).toBeUndefined();
        expect(delayAfter({ ...attempt, aborted: true })).toBeUndefined();
        expect(delayAfter({ ...attempt, options: { ...options, maxAttempts: 1 } })).toBeUndefined();
      },
    ),
  );
  expect(delayAfter({ outcome: 'applied', repeatable: true })).toBeUndefined();
});

test('pauses a random part of a bound that doubles from one second to eight', () => {
  const almostOne = (): number => 0.999_999;
  expect([1, 2, 3, 4, 5, 50].map((attempts) => Math.round(backoff(attempts, almostOne)))).toEqual([
    1_000, 2_000, 4_000, 8_000, 8_000, 8_000,
  ]);
  expect(backoff(1, () => 0)).toBe(0);
});
