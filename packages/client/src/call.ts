import type { AfterAttempt, BeforeAttempt } from './attempt-events.ts';
import { cleanCause } from './clean-cause.ts';
import type { Deadline } from './deadline.ts';
import { AbortError, type CallEnd, TimeoutError } from './errors.ts';
import type { AnswerHeaders } from './exchange.ts';
import { labelOf, type Operation } from './operation.ts';
import { foldOutcomes } from './outcome.ts';
import { type AttemptRecord, Receipt } from './receipt.ts';
import { scrubberOf } from './scrub.ts';
import type { CallSettings } from './settings.ts';
import type { StandardSchema } from './standard-schema.ts';

/** One call on its way through the layers. */
export interface Call {
  readonly operation: Operation;
  readonly settings: CallSettings;
  readonly responseSchema: StandardSchema | undefined;
  readonly deadline: Deadline;
  readonly attempts: AttemptRecord[];
  readonly beforeAttempt: BeforeAttempt | undefined;
  readonly afterAttempt: AfterAttempt | undefined;
  /** Length of what is sent, in bytes. */
  readonly bodyBytes: number;
  /** Unix time in milliseconds. */
  readonly calledAt: number;
}

/** A call that succeeded. */
export interface CallSuccess {
  readonly data: unknown;
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly attempts: number;
  readonly receipt: Receipt;
}

/** One layer of a call: it does its part and hands on to the next. It rejects with an `OrdersError`. */
export type Layer = (call: Call) => Promise<CallSuccess>;

/** What every error of a call tells, as far as the call has come. */
export function endOf(call: Call): CallEnd {
  const { attempts } = call;
  return {
    outcome: foldOutcomes(attempts.map(({ outcome }) => outcome)),
    attempts: attempts.length,
    receipt: receiptOf(call),
  };
}

export function receiptOf({ operation, bodyBytes, attempts, calledAt }: Call): Receipt {
  return new Receipt({
    operation: { method: operation.method, path: operation.path, lane: operation.lane },
    bodyBytes,
    calledAt,
    attempts,
  });
}

/** What to say of each outcome at the end of a message. */
export const sequels = {
  not_sent: 'Nothing was sent.',
  rejected: 'The service did not take it.',
  applied: 'The service took it.',
  unknown: 'It may have been sent, and whether the service took it is unknown.',
} as const;

/** The error of a call that its signal ended between attempts. */
export function abortedCall(call: Call): AbortError {
  const end = endOf(call);
  const cause: unknown = call.deadline.signal?.reason;
  return new AbortError(`${labelOf(call.operation)}: aborted. ${sequels[end.outcome]}`, { ...end, cause });
}

/** The error of a call that `beforeAttempt` ended: what it threw is kept as other causes are. */
export function stoppedCall(call: Call, thrown: unknown): AbortError {
  const end = endOf(call);
  const { credentials } = call.settings;
  const scrub = typeof credentials === 'function' ? (text: string) => text : scrubberOf(credentials);
  const cause = cleanCause(thrown, scrub);
  const message = `${labelOf(call.operation)}: beforeAttempt threw, which ended the call. ${sequels[end.outcome]}`;
  return new AbortError(message, { ...end, cause });
}

/** The error of a call whose time ran out while `beforeAttempt` held an attempt back. */
export function heldBackTooLong(call: Call): TimeoutError {
  const end = endOf(call);
  const message = `${labelOf(call.operation)}: timed out waiting for beforeAttempt. ${sequels[end.outcome]}`;
  return new TimeoutError(message, end, 'queue');
}

/** The error of a call whose time ran out before it could leave. */
export function queuedTooLong(call: Call): TimeoutError {
  const end = endOf(call);
  const message = `${labelOf(call.operation)}: timed out behind other updates to this order. ${sequels[end.outcome]}`;
  return new TimeoutError(message, end, 'queue');
}

/** The error of a call that cannot outlast the rate limit, or the pause that the service asked for. */
export function pausedTooLong(call: Call, heldMs: number): TimeoutError {
  const end = { ...endOf(call), retryAfterMs: Math.ceil(heldMs) };
  const message = `${labelOf(call.operation)}: the rate limit holds it back longer than it may take. ${sequels[end.outcome]} Try again in ${Math.ceil(heldMs / 1_000)} s.`;
  return new TimeoutError(message, end, 'queue');
}

/** The error of a call whose time ran out while `responseSchema` was checking the answer. */
export function uncheckedInTime(call: Call): TimeoutError {
  const end = endOf(call);
  const message = `${labelOf(call.operation)}: timed out while responseSchema checked the answer. ${sequels[end.outcome]}`;
  return new TimeoutError(message, end, 'body');
}
