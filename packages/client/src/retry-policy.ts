import type { Outcome } from './outcome.ts';

/** How a call is tried again. */
export interface RetryOptions {
  /**
   * Attempts in all, the first one included; 1 never sends twice.
   * @default 3
   */
  readonly maxAttempts?: number;
  /**
   * Whether an update whose outcome is unknown is sent again. The interface document does not say that
   * an update may be repeated: a cart line sent twice might be added twice.
   * @default false
   */
  readonly unknownOutcome?: boolean;
}

/** What is known when an attempt has failed. */
export interface FailedAttempt {
  readonly outcome: Outcome;
  /** Attempts made so far. */
  readonly attempts: number;
  /** Whether the service invites another attempt: 429, or 503 with `Retry-After`. */
  readonly invited: boolean;
  /** How long the service asks to wait, in milliseconds. */
  readonly askedMs: number | undefined;
  /** Time left until the total deadline, in milliseconds. */
  readonly remainingMs: number;
  /** Whether the operation may be repeated freely, as a GET may. */
  readonly repeatable: boolean;
  /** Whether the caller ended the call. */
  readonly ended: boolean;
}

/**
 * Decides whether and when to try again: the delay in milliseconds, or `undefined` to fail now. What
 * lies beyond the remaining time is never tried early.
 */
export function retryDelay(
  failed: FailedAttempt,
  options: Required<RetryOptions>,
  random: () => number,
): number | undefined {
  if (failed.ended || failed.attempts >= options.maxAttempts || !mayRepeat(failed, options)) return undefined;
  const delay = failed.askedMs ?? backoff(failed.attempts, random);
  return delay < failed.remainingMs ? delay : undefined;
}

function mayRepeat(
  { outcome, invited, repeatable }: FailedAttempt,
  options: Required<RetryOptions>,
): boolean {
  if (outcome === 'not_sent') return true;
  if (outcome === 'rejected') return invited;
  return outcome === 'unknown' && (repeatable || options.unknownOutcome);
}

/** Full jitter: a random part of a bound that doubles from 1 s to 8 s, in milliseconds. */
export function backoff(attempts: number, random: () => number): number {
  return random() * Math.min(8_000, 500 * 2 ** attempts);
}
