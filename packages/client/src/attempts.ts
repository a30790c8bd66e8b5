import { type AttemptContext, makeAttempt } from './attempt.ts';
import { abortedCall, type Layer } from './call.ts';
import { type AttemptRecord, tenths } from './receipt.ts';
import { retryDelay } from './retry-policy.ts';
import { announceAttempt, reportAttempt } from './tell-attempts.ts';
import { waitForTurn } from './wait-for-turn.ts';

/** Makes attempts, each when the rate limit lets it, until one succeeds or the retry policy ends the call. */
export function withAttempts(context: AttemptContext): Layer {
  const { limit, random } = context;
  return async (call) => {
    const { attempts, deadline, settings } = call;
    const { beforeAttempt, afterAttempt, credentials } = settings;
    for (;;) {
      const unmade =
        (await waitForTurn(call, limit)) ?? (beforeAttempt && (await announceAttempt(call, beforeAttempt)));
      if (unmade) return unmade;
      const afterMs = deadline.elapsedMs();
      const verdict = await makeAttempt(call, context);
      const { status, outcome } = verdict;
      const record: AttemptRecord = {
        afterMs: tenths(afterMs),
        durationMs: tenths(deadline.elapsedMs() - afterMs),
        ...(status !== undefined && { status }),
        outcome,
        ...(verdict.code && { error: verdict.code }),
      };
      attempts.push(record);
      const isPaused = status === 429;
      let delay: number | undefined;
      if (verdict.code) {
        const askedMs = isPaused ? limit.pausedMs(credentials) : verdict.askedMs;
        delay = retryDelay(verdict, call, askedMs, random);
      }
      if (afterAttempt) reportAttempt(call, afterAttempt, record, delay);
      if (delay === undefined) return verdict;
      // The pause of a 429 is waited out with the next turn, where it can be lifted.
      if (!isPaused && (await deadline.wait(delay)) === 'aborted') return abortedCall(call);
    }
  };
}
