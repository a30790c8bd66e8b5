import type { Deadline } from './deadline.ts';
import type { AttemptFailure, AttemptResult } from './errors.ts';
import type { Operation } from './operation.ts';
import type { ResolvedCallOptions } from './options.ts';
import type { AttemptRecord } from './receipt.ts';
import type { Redact } from './redact.ts';

/** One call, with all that its steps share. */
export interface Call {
  readonly operation: Operation;
  readonly options: ResolvedCallOptions;
  readonly deadline: Deadline;
  /** Removes the credentials that this call has read so far. */
  redact: Redact;
  readonly attempts: AttemptRecord[];
  readonly host: string;
  /** Length of the request body in bytes. */
  readonly bodyBytes: number;
  /** Unix time in milliseconds. */
  readonly calledAt: number;
}

/** A step of a call, from its lane to one attempt. Never rejects. */
export type Step = (call: Call) => Promise<AttemptResult>;

/** The failure of a call that was aborted while nothing of an attempt was sent. */
export function abortedFailure({ deadline }: Call): AttemptFailure {
  return { code: 'aborted', outcome: 'not_sent', what: 'aborted', cause: deadline.reason };
}

/** The failure of a call whose total time ran out while nothing of an attempt was sent; `where` says in which step. */
export function timeoutFailure({ options }: Call, where: string): AttemptFailure {
  const what = `timed out after ${options.timeouts.total} ms (timeouts.total) ${where}`;
  return { code: 'timeout', outcome: 'not_sent', what, retryable: true };
}

/** Why a call must end before its next step, if it must: its time may run out, or its signal fire, between two waits. */
export function endedFailure(call: Call, where: string): AttemptFailure | undefined {
  if (call.deadline.remainingMs() === 0) return timeoutFailure(call, where);
  return call.deadline.aborted ? abortedFailure(call) : undefined;
}

/** Waits until a promise settles, no longer than the call may take. */
export async function waitFor(
  call: Call,
  ready: Promise<unknown>,
  where: string,
): Promise<AttemptFailure | undefined> {
  const { deadline } = call;
  const end = await deadline.wait(deadline.remainingMs(), (done) => void ready.then(done, done));
  return end === 'aborted'
    ? abortedFailure(call)
    : end === 'timeout'
      ? timeoutFailure(call, where)
      : undefined;
}

/**
 * Runs a callback of the user, which may throw, reject, hang, or return any thenable, no longer than the call may take.
 * Rejects with what the callback throws.
 */
export async function runCallback<Value>(
  call: Call,
  callback: () => Value | PromiseLike<Value>,
  where: string,
): Promise<AttemptFailure | { readonly value: Value }> {
  const running = (async () => callback())();
  return (await waitFor(call, running, where)) ?? { value: await running };
}
