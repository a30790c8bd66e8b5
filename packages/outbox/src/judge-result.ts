import type { AnyOrdersError, UpdateOrderResult } from '@orders/client';
import type { Verdict } from './verdict.ts';

/** What to do with an update of unknown outcome: wait for a person, send it again, or take it as done, one way or the other. */
export type UnknownChoice = 'park' | 'resend' | 'applied' | 'discard';

/** What to do with a lane whose update the service refused. */
export type RejectedChoice = 'continue' | 'hold';

/** What decides about failed updates. */
export interface JudgeOptions {
  readonly onRejected: RejectedChoice;
  /** The longest wait before an update is sent again that could not be sent, in milliseconds. */
  readonly maxRetryDelayMs: number;
  readonly random: () => number;
}

/** The shortest pause after a 429 that does not allow a retry at once, in milliseconds. */
const leastPauseMs = 1_000;

/** The longest wait that a service may ask for, in milliseconds: then it is asked again. */
const mostAskedMs = 86_400_000;

/** What becomes of an update after a call of the client, but for an unknown outcome, which is the caller's to choose. */
export function judgeResult(
  result: UpdateOrderResult,
  failures: number,
  options: JudgeOptions,
): Verdict | 'unknown' {
  if (result.ok) {
    return { ...free, state: 'applied', status: result.status, receipt: result.receipt.toJSON() };
  }
  const { error } = result;
  const told = tell(error);
  switch (error.outcome) {
    case 'applied':
      return { ...free, ...told, state: 'applied' };
    case 'unknown':
      return 'unknown';
    case 'rejected': {
      // Aborted while it told why: it did not take it, and may the next time.
      if (error.code === 'aborted') return { ...told, ...later(failures, options), failures };
      // The client takes a 503 for a refusal only where its `classifyResponse` says so; then it is temporary, like a 429.
      const status = 'status' in error ? error.status : undefined;
      if (status !== 429 && status !== 503) return refuse(told, options);
      // Without a time in the response the client reports its own short pause, which ignores earlier calls.
      const { retryAfterMs = leastPauseMs } = error;
      const delayMs = retryAfterMs === 0 ? 0 : askedDelay(Math.max(leastPauseMs, retryAfterMs));
      const pause = status === 429 ? { pauseAllMs: delayMs } : {};
      return { ...told, ...pause, state: 'queued', hold: false, delayMs, failures };
    }
    case 'not_sent':
      // What the schema refuses now it will refuse again.
      if (error.code === 'validation_error') return refuse({ ...told, issues: error.issues }, options);
      // The outbox itself ended it: nothing failed.
      if (error.code === 'aborted') return { ...told, ...later(failures, options), failures };
      if (error.retryAfterMs === undefined) return { ...told, ...later(failures, options) };
      return { ...told, ...later(failures, options), delayMs: askedDelay(error.retryAfterMs) };
    default:
      // What a client of the user's own makes up.
      return 'unknown';
  }
}

/** What becomes of an update of unknown outcome. @throws TypeError when the choice is none. */
export function judgeUnknown(
  choice: UnknownChoice,
  told: Partial<Verdict>,
  { failures, ...options }: JudgeOptions & { readonly failures: number },
): Verdict {
  switch (choice) {
    case 'park':
      return { ...told, state: 'parked', hold: true, delayMs: 0, failures: 0 };
    case 'resend':
      return { ...told, ...later(failures, options) };
    case 'applied':
      return { ...told, ...free, state: 'applied' };
    case 'discard':
      return { ...told, ...free, state: 'discarded' };
    default:
      throw new TypeError(`choose 'park', 'resend', 'applied' or 'discard', not ${String(choice)}`);
  }
}

/** What a failed call says of itself. */
export function tell(error: AnyOrdersError): Partial<Verdict> {
  return {
    code: error.code,
    message: error.message,
    ...('status' in error ? { status: error.status } : {}),
    receipt: error.receipt.toJSON(),
  };
}

const free = { hold: false, delayMs: 0, failures: 0 } as const;

function refuse(told: Partial<Verdict>, { onRejected }: JudgeOptions): Verdict {
  return { ...told, ...free, state: 'rejected', hold: onRejected === 'hold' };
}

function askedDelay(ms: number): number {
  return Math.min(mostAskedMs, Math.max(0, ms));
}

function later(failures: number, options: JudgeOptions) {
  return {
    state: 'queued',
    hold: false,
    delayMs: backoff(failures, options),
    failures: failures + 1,
  } as const;
}

/** Full jitter over half a second, doubled for each failure, up to the longest wait. */
function backoff(failures: number, { maxRetryDelayMs, random }: JudgeOptions): number {
  return random() * Math.min(maxRetryDelayMs, 500 * 2 ** Math.min(failures, 20));
}
