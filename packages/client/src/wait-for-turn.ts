import { abortedCall, type Call, endOf, outOfTime } from './call.ts';
import type { Defeat } from './judge.ts';
import type { RateLimit } from './rate-limit.ts';

/** Waits until neither the rate limit nor a pause holds the next attempt back; a call that cannot outlast them fails now. */
export async function waitForTurn(call: Call, limit: RateLimit): Promise<Defeat | undefined> {
  const { deadline, settings, attempts } = call;
  const { credentials } = settings;
  for (;;) {
    const ended = endOf(call, `before attempt ${attempts.length + 1}`);
    if (ended) return ended;
    const remainingMs = deadline.remainingMs();
    const isPaused = limit.pausedMs(credentials) > 0;
    const heldMs = limit.reserve(credentials, remainingMs);
    if (heldMs === 0) return undefined;
    // The attempt that goes first after a long pause may end at any time, so it is waited for.
    if (heldMs >= remainingMs && heldMs < Number.POSITIVE_INFINITY) {
      const why = isPaused ? 'a 429 pauses this key' : 'rateLimit holds it back';
      const askedMs = Math.ceil(heldMs);
      const what = `${why} for ${askedMs} ms, longer than timeouts.total allows`;
      return { ...outOfTime(call, ''), what, askedMs };
    }
    const onChange = isPaused ? (wake: () => void) => limit.onChange(wake) : undefined;
    if ((await deadline.wait(Math.min(heldMs, remainingMs), onChange)) === 'aborted')
      return abortedCall(call);
    // After a pause every call asks for a slot; a call that has one leaves, unless a pause began meanwhile.
    if (!isPaused && limit.pausedMs(credentials) === 0) return undefined;
  }
}
