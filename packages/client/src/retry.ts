import { abortedFailure, type Call, runCallback, type Step, timeoutFailure } from './call.ts';
import type { AttemptFailure, AttemptResult } from './errors.ts';
import type { AfterAttempt, BeforeAttempt } from './options.ts';
import { type RateLimit, waitForSlot } from './rate-limit.ts';
import { type AttemptRecord, tenths } from './receipt.ts';
import { sanitizeCause } from './redact.ts';

export interface RetryPolicy {
  readonly rateLimit: RateLimit;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** Makes attempts, each once the rate limit lets it, until one succeeds or must not be retried. */
export function withRetries(attempt: Step, { rateLimit, random }: RetryPolicy): Step {
  return async (call) => {
    const { attempts, deadline, options } = call;
    const { beforeAttempt, afterAttempt, credentials } = options;
    for (;;) {
      const held = waitForSlot(call, rateLimit);
      const notMade =
        (held && (await held)) ?? (beforeAttempt && (await runBeforeAttempt(call, beforeAttempt)));
      if (notMade) return notMade;
      const startedAfterMs = deadline.elapsedMs();
      const result = await attempt(call);
      const record = createRecord(result, startedAfterMs, deadline.elapsedMs() - startedAfterMs);
      attempts.push(record);
      const isPaused = result.status === 429;
      const pauseMs = isPaused ? rateLimit.pausedMs(credentials) : undefined;
      const delay = result.code ? retryDelay(result, call, pauseMs, random) : undefined;
      if (afterAttempt) runAfterAttempt(call, afterAttempt, record, delay);
      if (delay === undefined) return result;
      // The pause of a 429 ends while the call waits for its slot, where it can be lifted.
      if (!isPaused && (await deadline.wait(delay)) === 'aborted') return abortedFailure(call);
    }
  };
}

function createRecord(result: AttemptResult, startedAfterMs: number, durationMs: number): AttemptRecord {
  const { status, requestId, outcome, code } = result;
  const record: { -readonly [Field in keyof AttemptRecord]: AttemptRecord[Field] } = {
    startedAfterMs: tenths(startedAfterMs),
    durationMs: tenths(durationMs),
    outcome,
  };
  if (status !== undefined) record.status = status;
  if (requestId !== undefined) record.requestId = requestId;
  if (code) record.error = code;
  return record;
}

/** The delay before the next attempt in milliseconds, or `undefined` to fail now. What lies beyond the remaining time is never retried early. */
function retryDelay(
  { outcome, retryable = false, retryAfterMs }: AttemptFailure,
  { attempts, deadline, operation, options }: Call,
  pauseMs: number | undefined,
  random: () => number,
): number | undefined {
  const { maxAttempts, resendUnknown } = options.retry;
  const mayRepeat =
    outcome === 'unknown' ? operation.idempotent || resendUnknown : outcome !== 'applied' && retryable;
  if (!mayRepeat || attempts.length >= maxAttempts || deadline.aborted) return undefined;
  const delay = pauseMs ?? retryAfterMs ?? backoff(attempts.length, random);
  return delay < deadline.remainingMs() ? delay : undefined;
}

/** Full jitter: a random part of a bound that doubles from 1 s to 8 s, in milliseconds. */
export function backoff(attempts: number, random: () => number): number {
  return random() * Math.min(8_000, 500 * 2 ** attempts);
}

/** Calls `beforeAttempt` and waits for it, no longer than the call may take; returns why the attempt must not be made. */
async function runBeforeAttempt(
  call: Call,
  beforeAttempt: BeforeAttempt,
): Promise<AttemptFailure | undefined> {
  const event = { attempt: call.attempts.length + 1 };
  const where = 'waiting for beforeAttempt';
  try {
    const result = await runCallback(call, () => beforeAttempt(event), where);
    if ('code' in result) return result;
    // It may have blocked the thread until no time was left. A signal that fires now aborts the attempt.
    return call.deadline.remainingMs() === 0 ? timeoutFailure(call, where) : undefined;
  } catch (thrown) {
    const what = 'beforeAttempt threw, which ended the call';
    return { ...abortedFailure(call), what, cause: sanitizeCause(thrown, call.redact) };
  }
}

/** Passes the last attempt to `afterAttempt`. What it throws becomes a warning, since it must not change the call. */
function runAfterAttempt(
  { attempts, redact }: Call,
  afterAttempt: AfterAttempt,
  record: AttemptRecord,
  delay: number | undefined,
): void {
  const retry = delay !== undefined && { retryDelayMs: tenths(delay) };
  const event = { ...record, attempt: attempts.length, ...retry };
  const running = (async () => afterAttempt(event))();
  running.catch((thrown: unknown) => {
    const { process } = globalThis as { process?: { emitWarning?: (message: string, name: string) => void } };
    const message = `afterAttempt threw, which changes nothing for the call: ${sanitizeCause(thrown, redact)?.message}`;
    process?.emitWarning?.(message, 'OrdersWarning');
  });
}
