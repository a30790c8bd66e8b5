import { basic } from '@orders/auth';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startRawServer } from '../test/raw-server.ts';
import { createVirtualClock, type VirtualClock } from '../test/virtual-clock.ts';
import type { Call } from './call.ts';
import { Deadline } from './deadline.ts';
import type { AttemptFailure, AttemptResult } from './errors.ts';
import { createOrdersClient } from './index.ts';
import type { ResolvedCallOptions } from './options.ts';
import { RateLimit, type Turn } from './rate-limit.ts';
import { type AttemptEnd, backoff, withRetries } from './retry.ts';

const success: AttemptResult = {
  outcome: 'applied',
  status: 200,
  headers: {},
  data: {},
};
const retry = { maxAttempts: 3, resendUnknown: false };
const credentials = basic('swordfish');
const never = new Promise<never>(() => {});

function startPolicy(requestsPerSecond = Number.POSITIVE_INFINITY) {
  const clock = createVirtualClock();
  return { clock, rateLimit: new RateLimit({ requestsPerSecond }, 3_600_000, clock) };
}

interface RunOptions extends Partial<Pick<ResolvedCallOptions, 'beforeAttempt' | 'afterAttempt' | 'retry'>> {
  readonly idempotent?: boolean;
  readonly policy?: { readonly clock: VirtualClock; readonly rateLimit: RateLimit };
  /** After so many attempts the call is aborted. */
  readonly abortAfter?: number;
  readonly attemptMs?: number;
}

/** Runs a call of 30 s whose attempts have these results; returns its end, and when its attempts began. */
async function run(results: readonly AttemptResult[], given: RunOptions = {}) {
  const { idempotent = false, abortAfter = 99, attemptMs = 0, policy = startPolicy(), ...options } = given;
  const { clock, rateLimit } = policy;
  const began: number[] = [];
  const deadline = new Deadline(30_000, undefined, clock);
  const call = {
    attempts: [],
    deadline,
    redact: (text: string) => text,
    operation: { idempotent },
    options: { credentials, retry, timeouts: { total: 30_000 }, ...options },
  } as unknown as Call;
  const attempt = async (_call: Call, turn: Turn): Promise<AttemptEnd> => {
    const notMade = await rateLimit.waitForSlot(turn);
    if (notMade) return { notMade };
    const startedAfterMs = deadline.elapsedMs();
    const result = results[began.length] ?? success;
    began.push(clock.now());
    rateLimit.takeSlot(turn, () => {});
    clock.advance(attemptMs);
    rateLimit.learn(turn, result);
    if (began.length > abortAfter) deadline.abort('enough');
    return { result, startedAfterMs };
  };
  const end = await withRetries(attempt, { rateLimit, random: () => 0.5 })(call);
  return { end, began, attempts: call.attempts };
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
  expect((await run([unknown], { retry: { ...retry, resendUnknown: true } })).began).toEqual([0, 500]);
});

test('never retries what was applied, what was aborted, or more than maxAttempts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('not_sent', 'rejected', 'unknown', 'applied'),
      fc.boolean(),
      async (outcome, retryable) => {
        const failures = Array<AttemptFailure>(9).fill(failure(outcome, { retryable }));
        const each = { idempotent: true, retry: { maxAttempts: 3, resendUnknown: true } };
        expect((await run(failures, each)).began.length).toBeLessThanOrEqual(3);
        expect((await run(failures, { ...each, abortAfter: 0 })).began).toHaveLength(1);
        const once = { ...each, retry: { ...each.retry, maxAttempts: 1 } };
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

test('records when each attempt began after the call, and how long it took', async () => {
  const { attempts } = await run([tooMany(4_000)], { attemptMs: 200 });
  expect(attempts).toEqual([
    { startedAfterMs: 0, durationMs: 200, status: 429, outcome: 'rejected', error: 'http_error' },
    { startedAfterMs: 4_200, durationMs: 200, status: 200, outcome: 'applied' },
  ]);
});

test('time that runs out before the next attempt is a timeout, and no rate limit', async () => {
  const policy = startPolicy();
  const afterAttempt = () => policy.clock.advance(30_000);
  const { end, began } = await run([tooMany(0)], { policy, afterAttempt });
  expect(began).toEqual([0]);
  expect(end).toMatchObject({
    code: 'timeout',
    what: 'timed out after 30000 ms (timeouts.total) before the next attempt',
  });
  expect(end).not.toHaveProperty('retryAfterMs');
});

test('makes no attempt after a beforeAttempt that blocks the thread until no time is left', async () => {
  const policy = startPolicy();
  const { end, began } = await run([], { policy, beforeAttempt: () => policy.clock.advance(30_000) });
  expect(began).toEqual([]);
  expect(end).toMatchObject({
    code: 'timeout',
    what: 'timed out after 30000 ms (timeouts.total) waiting for beforeAttempt',
  });
});

test('keeps the first attempt when the beforeAttempt of the second never settles', async () => {
  const { end, attempts } = await run([tooMany(0)], {
    beforeAttempt: ({ attempt }) => (attempt === 2 ? never : undefined),
  });
  expect(end).toMatchObject({ code: 'timeout', outcome: 'not_sent' });
  expect(attempts).toMatchObject([{ status: 429, outcome: 'rejected' }]);
});

test('a beforeAttempt that throws costs no slot', async () => {
  const policy = startPolicy(10);
  const calledAt: number[] = [];
  const beforeAttempt = (): never => {
    calledAt.push(policy.clock.now());
    throw new Error('the disk is full');
  };
  await Promise.all([run([], { policy, beforeAttempt }), run([], { policy, beforeAttempt })]);
  expect(calledAt).toEqual([0, 0]);
});

test('timeouts.total bounds each attempt', async () => {
  await using server = await startRawServer(() => {});
  await using orders = createOrdersClient({
    baseUrl: server.url,
    apiKey: 'swordfish-swordfish',
    timeouts: { attempt: 600_000, total: 100 },
  });
  await expect(orders.echo()).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('after 100 ms (timeouts.total)'),
  });
});
