import { basic } from '@orders/auth';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Call } from './call.ts';
import { type Clock, Deadline } from './deadline.ts';
import type { AttemptFailure, AttemptResult } from './errors.ts';
import { RateLimit } from './rate-limit.ts';
import { backoff, withRetries } from './retry.ts';

const success: AttemptResult = {
  outcome: 'applied',
  status: 200,
  headers: {},
  data: {},
  requestId: undefined,
};
const retry = { maxAttempts: 3, resendUnknown: false };
const credentials = basic('swordfish');

/** A clock whose timers fire at once and move it forward. */
function createClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    setTimer(run, ms) {
      let isCancelled = false;
      setImmediate(() => {
        if (isCancelled) return;
        now += ms;
        run();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
}

/** Runs a call whose attempts give these results, with 30 s in all; returns its end and when its attempts began. */
async function run(
  results: readonly AttemptResult[],
  { idempotent = false, options = retry, abortAfter = 99 } = {},
) {
  const clock = createClock();
  const rateLimit = new RateLimit(undefined, 3_600_000, clock);
  const began: number[] = [];
  const deadline = new Deadline(30_000, undefined, clock);
  const call = {
    attempts: [],
    deadline,
    operation: { idempotent },
    options: { credentials, retry: options, timeouts: { total: 30_000 } },
  };
  const attempt = async (): Promise<AttemptResult> => {
    const result = results[began.length] ?? success;
    began.push(clock.now());
    if (result.code && result.status === 429) rateLimit.pause(credentials, result.retryAfterMs ?? 0);
    if (began.length > abortAfter) deadline.abort('enough');
    return result;
  };
  const end = await withRetries(attempt, { rateLimit, random: () => 0.5 })(call as unknown as Call);
  return { end, began };
}

function failure(outcome: AttemptFailure['outcome'], more: Partial<AttemptFailure> = {}): AttemptFailure {
  return { code: 'connection_error', what: '', outcome, retryable: true, ...more };
}

const tooMany = (retryAfterMs: number) =>
  failure('rejected', { code: 'http_error', status: 429, retryAfterMs });

test.each(['not_sent', 'rejected'] as const)(
  'retries a %s update only when it may succeed later',
  async (outcome) => {
    expect((await run([failure(outcome), failure(outcome)])).began).toEqual([0, 500, 1_500]);
    expect((await run([failure(outcome, { retryable: false })])).began).toEqual([0]);
  },
);

test('retries a 429 after Retry-After, never early', async () => {
  expect((await run([tooMany(4_000)])).began).toEqual([0, 4_000]);
  const { end, began } = await run([tooMany(30_000)]);
  expect(began).toEqual([0]);
  expect(end).toMatchObject({ status: 429, retryAfterMs: 30_000 });
});

test('retries an unknown outcome only of what is safe to repeat, or with resendUnknown', async () => {
  const unknown = failure('unknown');
  expect((await run([unknown])).began).toEqual([0]);
  expect((await run([unknown], { idempotent: true })).began).toEqual([0, 500]);
  expect((await run([unknown], { options: { ...retry, resendUnknown: true } })).began).toEqual([0, 500]);
});

test('never retries what was applied, what was aborted, or more than maxAttempts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('not_sent', 'rejected', 'unknown', 'applied'),
      fc.boolean(),
      async (outcome, retryable) => {
        const failures = Array<AttemptFailure>(9).fill(failure(outcome, { retryable }));
        const options = { maxAttempts: 3, resendUnknown: true };
        const each = { idempotent: true, options };
        expect((await run(failures, each)).began.length).toBeLessThanOrEqual(3);
        expect((await run(failures, { ...each, abortAfter: 0 })).began).toHaveLength(1);
        const once = { ...each, options: { ...options, maxAttempts: 1 } };
        expect((await run(failures, once)).began).toHaveLength(1);
      },
    ),
    { numRuns: 30 },
  );
  expect((await run([failure('applied')], { idempotent: true })).began).toHaveLength(1);
});

test('waits a random part of a bound that doubles from one second to eight', () => {
  const almostOne = (): number => 0.999_999;
  expect([1, 2, 3, 4, 5, 50].map((attempts) => Math.round(backoff(attempts, almostOne)))).toEqual([
    1_000, 2_000, 4_000, 8_000, 8_000, 8_000,
  ]);
  expect(backoff(1, () => 0)).toBe(0);
});
