import type { Explanation } from '@orders/schema';
import type { Deadline } from './deadline.ts';
import {
  AbortError,
  type CallError,
  ConnectionError,
  HttpError,
  type HttpResponse,
  InvalidRequestError,
  InvalidResponseError,
  TimeoutError,
} from './errors.ts';
import type { AnswerHeaders } from './exchange.ts';
import type { Defeat, Verdict } from './judge.ts';
import { labelOf, type Operation, outcomeMessage } from './operation.ts';
import { foldOutcomes } from './outcome.ts';
import { type AttemptRecord, Receipt } from './receipt.ts';
import type { Scrub } from './scrub.ts';
import type { CallSettings } from './settings.ts';

/** One call on its way through the layers. */
export interface Call {
  readonly operation: Operation;
  readonly settings: CallSettings;
  readonly deadline: Deadline;
  /** Takes the credential that was read last out of a text. */
  scrub: Scrub;
  readonly attempts: AttemptRecord[];
  /** Length of what is sent, in bytes. */
  readonly bodyBytes: number;
  /** Unix time in milliseconds. */
  readonly calledAt: number;
}

/** A call that succeeded. */
export interface CallSuccess {
  readonly outcome: 'applied';
  readonly data: unknown;
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Attempts made. */
  readonly attempts: number;
  /** What happened, safe to paste into a ticket. */
  readonly receipt: Receipt;
}

/** One layer of a call: it does its part and hands on to the next. It never rejects. */
export type Layer = (call: Call) => Promise<Verdict>;

/** The error of a call that a failure ends: the one place where errors are made of failures. */
export function errorOf(
  call: Pick<Call, 'operation' | 'attempts' | 'bodyBytes' | 'calledAt'>,
  failure: Defeat,
): CallError {
  const { attempts, operation } = call;
  const { code, what, askedMs, cause, response, issues = [], phase = 'queue', status = 0 } = failure;
  const outcome = foldOutcomes(attempts.map((attempt) => attempt.outcome));
  const safe = outcome === 'unknown' ? operation.repeatable : outcome !== 'applied';
  const retryable = safe && (failure.retryable ?? false);
  const end = {
    outcome,
    attempts: attempts.length,
    receipt: new Receipt(call),
    retryable,
    retryAfterMs: askedMs,
    cause,
  };
  const message = `${labelOf(operation)}: ${what}. ${outcomeMessage(operation, outcome)}`;
  if (code === 'invalid_request')
    return new InvalidRequestError(`${message} ${summaryOf(issues)}`, end, issues);
  const wait = retryable && askedMs !== undefined ? ` Try again in ${Math.ceil(askedMs / 1_000)} s.` : '';
  const text = message + wait;
  if (code === 'http_error') return new HttpError(text, end, response as HttpResponse);
  if (code === 'timeout') return new TimeoutError(text, end, phase);
  if (code === 'invalid_response') return new InvalidResponseError(text, end, status);
  return code === 'aborted' ? new AbortError(text, end) : new ConnectionError(text, end);
}

function summaryOf(issues: readonly Explanation[]): string {
  const shown = issues
    .slice(0, 3)
    .map(({ path, message, hint = '' }) => `${path || 'body'}: ${message}. ${hint}`.trim());
  if (issues.length > 3) shown.push(`and ${issues.length - 3} more in issues`);
  return shown.join(' | ');
}

/** The failure of a call that its signal ended while nothing of an attempt was sent. */
export function abortedCall({ deadline }: Call): Defeat {
  const cause: unknown = deadline.signal?.reason;
  return { code: 'aborted', outcome: 'not_sent', what: 'aborted', cause };
}

/** The failure of a call whose total time ran out while nothing of an attempt was sent; `where` says in what it was. */
export function outOfTime({ settings }: Call, where: string): Defeat {
  const what = `timed out after ${settings.timeouts.total} ms (timeouts.total) ${where}`;
  return { code: 'timeout', outcome: 'not_sent', what, retryable: true };
}

/** Why a call is over before its next step, if it is: its time may run out, and its signal fire, between two waits. */
export function endOf(call: Call, where: string): Defeat | undefined {
  if (call.deadline.remainingMs() === 0) return outOfTime(call, where);
  return call.deadline.signal?.aborted ? abortedCall(call) : undefined;
}

/** Waits for something, no longer than the call may take; `where` says in what it was when that is over. */
export async function waitFor(
  call: Call,
  ready: Promise<unknown>,
  where: string,
): Promise<Defeat | undefined> {
  const { deadline } = call;
  const end = await deadline.wait(deadline.remainingMs(), (done) => void ready.then(done, done));
  return end === 'aborted' ? abortedCall(call) : end === 'timeout' ? outOfTime(call, where) : undefined;
}

/**
 * Runs a callback of the user's, which may throw at once, reject, hang and return any thenable: no longer than the call
 * may take. Rejects with what the callback throws.
 */
export async function runCallback<Value>(
  call: Call,
  callback: () => Value | PromiseLike<Value>,
  where: string,
): Promise<Defeat | { readonly value: Value }> {
  const running = (async () => callback())();
  return (await waitFor(call, running, where)) ?? { value: await running };
}
