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
    const heldMs = limit.reserve(credentials, remainingMs);
    if (heldMs === 0) return undefined;
    if (heldMs >= remainingMs) {
      const why =
        limit.pausedMs(credentials) > 0
          ? 'a 429 pauses this key'
          : 'the rate limit of this client holds it back';
      const askedMs = Math.ceil(heldMs);
      const what = `${why} for ${askedMs} ms, and timeouts.total leaves ${Math.floor(remainingMs)} ms`;
      return { ...outOfTime(call, ''), what, askedMs };
    }
    const end = await deadline.wait(heldMs, (wake) => limit.onChange(wake));
    if (end === 'aborted') return abortedCall(call);
    // A pause that began meanwhile counts, too; one that was lifted gives everyone a new slot.
    if (end === 'timeout' && limit.pausedMs(credentials) === 0) return undefined;
  }
}
