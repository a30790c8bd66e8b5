import { abortedCall, type Call, endOf, type Layer, receiptOf } from './call.ts';
import type { Verdict } from './judge.ts';
import { retryDelay } from './retry-policy.ts';

/** Makes attempts until one succeeds or the retry policy ends the call. */
export function withAttempts(attempt: (call: Call) => Promise<Verdict>, random: () => number): Layer {
  return async (call) => {
    const { deadline, attempts, settings, operation } = call;
    const calledAt = performance.now();
    for (;;) {
      const startedAt = performance.now();
      const verdict = await attempt(call);
      attempts.push({
        afterMs: startedAt - calledAt,
        durationMs: performance.now() - startedAt,
        ...(verdict.status === undefined ? {} : { status: verdict.status }),
        outcome: verdict.outcome,
        ...(verdict.ok ? {} : { error: verdict.code }),
      });
      if (verdict.ok) {
        const { data, status, headers } = verdict;
        return { data, status, headers, attempts: attempts.length, receipt: receiptOf(call) };
      }
      const { outcome, invited, askedMs } = verdict;
      const delay = retryDelay(
        {
          outcome,
          invited,
          askedMs,
          attempts: attempts.length,
          remainingMs: deadline.remainingMs(),
          repeatable: operation.repeatable,
          ended: deadline.signal?.aborted ?? false,
        },
        settings.retry,
        random,
      );
      if (delay === undefined) throw verdict.error(endOf(call));
      if ((await deadline.pause(delay)) === 'aborted') throw abortedCall(call);
    }
  };
}
