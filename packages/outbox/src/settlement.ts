import type { OrdersError, UpdateOrderResult } from '@orders/client';
import type { Signal } from './health.ts';
import type { UpdateState } from './updates.ts';

/** What to do with an update of unknown outcome: wait for a person, send it again, or take it as settled. */
export type UnknownChoice = 'review' | 'resend' | 'applied' | 'discard';

/** What to do with an order whose update was rejected. */
export type RejectedChoice = 'continue' | 'hold';

/** What becomes of an update, and of the updates behind it. */
export interface Settlement {
  readonly state: Exclude<UpdateState, 'sending'>;
  /** Whether the update still holds its order: it is queued again, or waits for a person. */
  readonly open: boolean;
  /** How long its order waits, in milliseconds. */
  readonly delayMs: number;
  /** How often in a row it could not be sent. */
  readonly failures: number;
  readonly code?: string;
  readonly message?: string;
  readonly status?: number;
  readonly issues?: unknown;
  readonly receipt?: unknown;
  /** How long every order waits, by the Retry-After of the service, in milliseconds. */
  readonly pauseMs?: number;
  readonly signal: Signal;
}

/** What is known of a failed call. */
export type Failure = Pick<Settlement, 'code' | 'message' | 'status' | 'receipt'>;

/** What settlements depend on. */
export interface SettleOptions {
  readonly onRejected: RejectedChoice;
  /** The longest delay of an update that could not be sent, in milliseconds. */
  readonly maxRetryDelayMs: number;
  readonly random: () => number;
  /** How long the client still pauses by a 429, in milliseconds. */
  readonly pausedMs?: number;
}

/** The shortest pause after a 429, in milliseconds: the client's own short one ignores earlier calls. */
const minPauseMs = 1_000;
/** The longest pause that a response can cause, in milliseconds: then the service is tried again. */
export const maxPauseMs = 3_600_000;

const ended = { open: false, delayMs: 0, failures: 0 } as const;

/**
 * What becomes of an update after a call of the client; `undefined` when its outcome is unknown, which is decided by
 * `settleUnknown`.
 */
export function settleResult(
  result: UpdateOrderResult,
  failures: number,
  options: SettleOptions,
): Settlement | undefined {
  if (result.ok) {
    const { status, receipt } = result;
    return { ...ended, state: 'applied', status, receipt: receipt.toJSON(), signal: 'success' };
  }
  const { error } = result;
  const failure = failureOf(error);
  if (error.outcome === 'applied') return { ...failure, ...ended, state: 'applied', signal: 'success' };
  if (error.outcome === 'rejected') {
    const { status } = failure;
    if (status === 429) {
      const pauseMs = pauseOf(error.retryAfterMs);
      // The pause holds its order, too, and a person can lift it.
      return { ...failure, ...queued(0, failures), pauseMs, signal: 'success' };
    }
    // Only a `classifyResponse` calls a 503 a refusal; it passes, like a 429, but for this order alone.
    if (status === 503) {
      return { ...failure, ...queued(pauseOf(error.retryAfterMs), failures), signal: 'none' };
    }
    return rejectedAs(failure, options, status === 401 || status === 403 ? 'refused' : 'success');
  }
  if (error.outcome !== 'not_sent') return undefined;
  // What the schema refuses now, it refuses again.
  if (error.code === 'validation_error')
    return rejectedAs({ ...failure, issues: error.issues }, options, 'none');
  // A pause or a limit of the client held it back: nothing failed.
  if (error.retryAfterMs !== undefined) {
    const { pausedMs = 0 } = options;
    // As after the 429 itself, a person can lift it.
    if (pausedMs > 0)
      return { ...failure, ...queued(0, failures), pauseMs: pauseOf(pausedMs), signal: 'none' };
    const delayMs = Math.min(error.retryAfterMs, options.maxRetryDelayMs);
    return { ...failure, ...queued(delayMs, failures), signal: 'none' };
  }
  // A hook of the client may have thrown, which says nothing of the service.
  const signal = error.code === 'aborted' ? 'none' : 'failure';
  return { ...failure, ...later(failures, options), signal };
}

/** What becomes of an update of unknown outcome. @throws TypeError when the choice is none. */
export function settleUnknown(
  choice: UnknownChoice,
  failure: Failure,
  { failures, signal, ...options }: SettleOptions & { readonly failures: number; readonly signal: Signal },
): Settlement {
  switch (choice) {
    case 'review':
      return { ...failure, ...ended, open: true, state: 'needs_review', signal };
    case 'resend':
      return { ...failure, ...later(failures, options), signal };
    case 'applied':
      return { ...failure, ...ended, state: 'applied', signal };
    case 'discard':
      return { ...failure, ...ended, state: 'discarded', signal };
    default:
      throw new TypeError(`return 'review', 'resend', 'applied' or 'discard', not ${String(choice)}`);
  }
}

/** What becomes of an update whose first byte could not leave before its claim grew old. */
export function settleExpired(failures: number, options: SettleOptions): Settlement {
  return { ...claimExpired, ...later(failures, options), signal: 'none' };
}

/** What becomes of an update that the outbox itself kept from leaving, such as without a slot: nothing failed, and it is due at once. */
export function settleUnsent(failures: number): Settlement {
  return { ...queued(0, failures), signal: 'none' };
}

const claimExpired = {
  code: 'claim_expired',
  message:
    'Its first byte could not leave within 3 s of its claim, so it was not sent and is tried again: a hook, a connection or the rateLimit of the client takes too long.',
};

/** What a failed call says. */
export function failureOf(error: OrdersError): Failure {
  const { receipt } = error;
  const status = 'status' in error ? { status: error.status } : {};
  // A client of the caller's own may have put anything there.
  return {
    code: String(error.code),
    message: String(error.message),
    ...status,
    receipt: receipt?.toJSON?.(),
  };
}

function rejectedAs(
  failure: Failure & Pick<Settlement, 'issues'>,
  { onRejected }: SettleOptions,
  signal: Signal,
): Settlement {
  return { ...failure, ...ended, open: onRejected === 'hold', state: 'rejected', signal };
}

function pauseOf(retryAfterMs = 0): number {
  return Math.min(maxPauseMs, Math.max(minPauseMs, retryAfterMs));
}

/** The delay before an update that could not be sent: full jitter over half a second, doubled for each failure. */
function later(failures: number, { maxRetryDelayMs, random }: SettleOptions) {
  const longestMs = Math.min(maxRetryDelayMs, 500 * 2 ** Math.min(failures, 20));
  return queued(random() * longestMs, failures + 1);
}

function queued(delayMs: number, failures: number) {
  return { state: 'queued', open: true, delayMs, failures } as const;
}
