import type { AfterAttempt, BeforeAttempt } from './attempt-events.ts';
import { abortedCall, type Call, outOfTime, runCallback } from './call.ts';
import { cleanCause } from './clean-cause.ts';
import type { Defeat } from './judge.ts';
import { type AttemptRecord, tenths } from './receipt.ts';

/** Calls `beforeAttempt` and waits for it, no longer than the call may take; reports why the attempt must not be made. */
export async function announceAttempt(call: Call, beforeAttempt: BeforeAttempt): Promise<Defeat | undefined> {
  const start = { attempt: call.attempts.length + 1 };
  const where = 'waiting for beforeAttempt';
  try {
    const result = await runCallback(call, () => beforeAttempt(start), where);
    if ('code' in result) return result;
    // It may have kept the thread until no time was left. A signal that fires now ends the attempt, not the call before it.
    return call.deadline.remainingMs() === 0 ? outOfTime(call, where) : undefined;
  } catch (thrown) {
    const what = 'beforeAttempt threw, which ended the call';
    return { ...abortedCall(call), what, cause: cleanCause(thrown, call.scrub) };
  }
}

/** Passes the last attempt to `afterAttempt`. What it throws is a warning, since it must not change the call. */
export function reportAttempt(
  { attempts, scrub }: Call,
  afterAttempt: AfterAttempt,
  record: AttemptRecord,
  delay: number | undefined,
): void {
  const wait = delay !== undefined && { retryInMs: tenths(delay) };
  const end = { ...record, attempt: attempts.length, ...wait };
  const reporting = (async () => afterAttempt(end))();
  reporting.catch((thrown: unknown) => {
    const { process } = globalThis as { process?: { emitWarning?: (message: string, name: string) => void } };
    const message = `afterAttempt threw, which changes nothing for the call: ${cleanCause(thrown, scrub)?.message}`;
    process?.emitWarning?.(message, 'OrdersWarning');
  });
}
