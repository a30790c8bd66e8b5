import type { Call } from './call.ts';
import type { Defeat } from './judge.ts';

/**
 * Decides whether and when to try again after a failed attempt: the delay in milliseconds, or `undefined` to fail now.
 * `askedMs` is how long the service or a pause asks to wait; what lies beyond the remaining time is never tried early.
 */
export function retryDelay(
  { outcome, retryable = false }: Defeat,
  { attempts, deadline, operation, settings }: Call,
  askedMs: number | undefined,
  random: () => number,
): number | undefined {
  const { maxAttempts, unknownOutcome } = settings.retry;
  const mayRepeat =
    outcome === 'unknown' ? operation.repeatable || unknownOutcome : outcome !== 'applied' && retryable;
  if (!mayRepeat || attempts.length >= maxAttempts || deadline.signal?.aborted) return undefined;
  const delay = askedMs ?? backoff(attempts.length, random);
  return delay < deadline.remainingMs() ? delay : undefined;
}

/** Full jitter: a random part of a bound that doubles from 1 s to 8 s, in milliseconds. */
export function backoff(attempts: number, random: () => number): number {
  return random() * Math.min(8_000, 500 * 2 ** attempts);
}
