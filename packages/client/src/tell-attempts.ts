import type { AfterAttempt, BeforeAttempt } from './attempt-events.ts';
import { abortedCall, type Call, heldBackTooLong, stoppedCall } from './call.ts';
import { type AttemptRecord, rounded, tenths } from './receipt.ts';

/** Calls `beforeAttempt` and waits for it, no longer than the call may take. Once it resolves, the attempt may be made. */
export async function announceAttempt(call: Call, beforeAttempt: BeforeAttempt): Promise<void> {
  const { deadline, attempts } = call;
  const start = { attempt: attempts.length + 1 };
  // What is thrown at once is told as what is rejected, and any thenable is waited for.
  const storing = (async () => beforeAttempt(start))();
  const end = await deadline.wait(storing);
  if (end === 'aborted') throw abortedCall(call);
  if (end === 'timeout') throw heldBackTooLong(call);
  try {
    await storing;
  } catch (thrown) {
    throw stoppedCall(call, thrown);
  }
  // It may have kept the thread until no time was left.
  if (deadline.remainingMs() === 0) throw heldBackTooLong(call);
}

/** Tells `afterAttempt` of the last attempt noted. What it throws is an uncaught error, as that of an event's listener is. */
export function reportAttempt(
  { attempts }: Call,
  afterAttempt: AfterAttempt,
  retryInMs: number | undefined,
): void {
  const last = attempts.at(-1) as AttemptRecord;
  const wait = retryInMs === undefined ? {} : { retryInMs: tenths(retryInMs) };
  try {
    afterAttempt({ ...rounded(last), attempt: attempts.length, ...wait });
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}
