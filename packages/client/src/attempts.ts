import { abortedCall, type Call, endOf, type Layer, pausedTooLong, receiptOf } from './call.ts';
import type { Defeat, Verdict } from './judge.ts';
import type { RateLimit } from './rate-limit.ts';
import { backoff, retryDelay } from './retry-policy.ts';
import { announceAttempt, reportAttempt } from './tell-attempts.ts';

/** Makes attempts, each when the rate limit lets it, until one succeeds or the retry policy ends the call. */
export function withAttempts(
  attempt: (call: Call) => Promise<Verdict>,
  limit: RateLimit,
  random: () => number,
): Layer {
  return async (call) => {
    const calledAt = performance.now();
    const { beforeAttempt, afterAttempt } = call;
    for (;;) {
      const held = takePlace(call, limit);
      if (held > 0 && (await call.deadline.pause(held)) === 'aborted') throw abortedCall(call);
      if (beforeAttempt) await announceAttempt(call, beforeAttempt);
      const startedAt = performance.now();
      const verdict = await attempt(call);
      note(call, verdict, startedAt - calledAt, performance.now() - startedAt);
      if (verdict.ok) {
        if (afterAttempt) reportAttempt(call, afterAttempt, undefined);
        const { data, status, headers } = verdict;
        return { data, status, headers, attempts: call.attempts.length, receipt: receiptOf(call) };
      }
      const delay = delayAfter(verdict, call, random);
      if (verdict.status === 429) {
        // Who is told to slow down slows all, or the others would go on knocking.
        limit.pause(performance.now(), verdict.askedMs ?? delay ?? backoff(call.attempts.length, random));
      }
      if (afterAttempt) reportAttempt(call, afterAttempt, delay);
      if (delay === undefined) throw verdict.error(endOf(call));
      if ((await call.deadline.pause(delay)) === 'aborted') throw abortedCall(call);
    }
  };
}

/** The wait until the rate limit lets the next attempt leave; a call that cannot outlast it fails now. */
function takePlace(call: Call, limit: RateLimit): number {
  const patienceMs = call.deadline.remainingMs();
  const held = limit.reserve(performance.now(), patienceMs);
  if (held >= patienceMs) throw pausedTooLong(call, held);
  return held;
}

function delayAfter(defeat: Defeat, call: Call, random: () => number): number | undefined {
  const { outcome, invited, askedMs } = defeat;
  const { attempts, deadline, operation, settings } = call;
  const failed = {
    outcome,
    invited,
    askedMs,
    attempts: attempts.length,
    remainingMs: deadline.remainingMs(),
    repeatable: operation.repeatable,
    ended: deadline.signal?.aborted ?? false,
  };
  return retryDelay(failed, settings.retry, random);
}

function note({ attempts }: Call, verdict: Verdict, afterMs: number, durationMs: number): void {
  const { status, outcome } = verdict;
  attempts.push({
    afterMs,
    durationMs,
    ...(status === undefined ? {} : { status }),
    outcome,
    ...(verdict.ok ? {} : { error: verdict.code }),
  });
}
