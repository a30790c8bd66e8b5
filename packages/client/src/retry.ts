import { abortedFailure, type Call, runCallback, type Step, timeoutFailure } from './call.ts';
import type { AttemptFailure, AttemptResult } from './errors.ts';
import type { BulkRules } from './options.ts';
import type { RateLimit, Turn } from './rate-limit.ts';
import { type AttemptRecord, tenths } from './receipt.ts';
import { sanitizeCause } from './redact.ts';
import { warn } from './warning.ts';

export interface RetryPolicy {
  readonly rateLimit: RateLimit;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** Makes one attempt, which takes its slot with its first byte. Never rejects. */
export type AttemptStep = (call: Call, turn: Turn) => Promise<AttemptEnd>;

/** An attempt that counts, also where its credentials could not be read; or why the call ended while it waited to send. */
export type AttemptEnd = MadeAttempt | { readonly notMade: AttemptFailure };

interface MadeAttempt {
  readonly result: AttemptResult;
  readonly startedAfterMs: number;
  readonly requestId?: string | undefined;
}

/** Makes attempts, each once the rate limit lets it, until one succeeds or must not be retried. */
export function withRetries(attempt: AttemptStep, policy: RetryPolicy): Step {
  const { rateLimit } = policy;
  return async (call) => {
    const { attempts, deadline } = call;
    const turn = rateLimit.createTurn(call);
    try {
      for (;;) {
        const notMade = (await rateLimit.waitToPrepare(turn)) ?? (await runBeforeAttempt(call));
        if (notMade) return notMade;
        const end = await attempt(call, turn);
        if ('notMade' in end) return end.notMade;
        const { result } = end;
        const record = createRecord(end, deadline.elapsedMs());
        attempts.push(record);
        const isPaused = result.status === 429;
        const delayMs = result.code ? nextAttemptMs(result, turn, policy) : undefined;
        runAfterAttempt(call, record, delayMs);
        // Where a bulk run has a rule, a delay says that the run took the update back, and sends it again.
        if (delayMs === undefined || putBackRule(call, result)) return result;
        // A pause passes in `waitToPrepare`, where it can be lifted.
        const waited = isPaused ? undefined : await deadline.wait(delayMs);
        if (waited === 'aborted') return abortedFailure(call);
      }
    } finally {
      rateLimit.remove(turn);
    }
  };
}

function createRecord(
  { result, startedAfterMs, requestId }: MadeAttempt,
  endedAfterMs: number,
): AttemptRecord {
  const { status, outcome, code } = result;
  return {
    startedAfterMs: tenths(startedAfterMs),
    durationMs: tenths(endedAfterMs - startedAfterMs),
    outcome,
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId }),
    ...(code && { error: code }),
  };
}

/**
 * In how many milliseconds the update is sent again, by this call or by its bulk run, if it is. What lies beyond the remaining
 * time is never retried early.
 */
function nextAttemptMs(
  failure: AttemptFailure,
  turn: Turn,
  { rateLimit, random }: RetryPolicy,
): number | undefined {
  const { attempts, deadline, operation, options } = turn.call;
  const { outcome, retryable = false, retryAfterMs, status } = failure;
  const { maxAttempts, resendUnknown } = options.retry;
  const isPaused = status === 429;
  const delayMs = isPaused
    ? rateLimit.pausedMs(options.credentials)
    : (retryAfterMs ?? backoff(attempts.length, random));
  const putsBack = putBackRule(turn.call, failure);
  if (putsBack) return putsBack(failure) ? delayMs : undefined;
  const mayRepeat =
    outcome === 'unknown' ? operation.idempotent || resendUnknown : outcome !== 'applied' && retryable;
  if (!mayRepeat || attempts.length >= maxAttempts || deadline.aborted) return undefined;
  const waitMs = isPaused ? rateLimit.waitMs(turn) : delayMs;
  return waitMs < deadline.remainingMs() ? delayMs : undefined;
}

/** The function with which a bulk run decides about a 429, and takes the update back. An update that may have been applied is not put back, which would forget that. */
function putBackRule({ attempts, options }: Call, { status }: AttemptResult): BulkRules['putsBack'] {
  const isUnknown = attempts.some(({ outcome }) => outcome === 'unknown');
  return status === 429 && !isUnknown ? options.bulk?.putsBack : undefined;
}

/** Full jitter: a random part of a bound that doubles from 1 s to 8 s, in milliseconds. */
export function backoff(attempts: number, random: () => number): number {
  return random() * Math.min(8_000, 500 * 2 ** attempts);
}

/** Calls `beforeAttempt` and waits for it, no longer than the call may take; returns why the attempt must not be made. */
async function runBeforeAttempt(call: Call): Promise<AttemptFailure | undefined> {
  const { beforeAttempt } = call.options;
  if (!beforeAttempt) return undefined;
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
  { attempts, options: { afterAttempt }, redact }: Call,
  record: AttemptRecord,
  delayMs: number | undefined,
): void {
  if (!afterAttempt) return;
  const retry = delayMs !== undefined && { retryDelayMs: tenths(delayMs) };
  const event = { ...record, attempt: attempts.length, ...retry };
  const running = (async () => afterAttempt(event))();
  running.catch((thrown: unknown) => {
    const { message } = sanitizeCause(thrown, redact) ?? {};
    warn(`afterAttempt threw, which changes nothing for the call: ${message}`);
  });
}
