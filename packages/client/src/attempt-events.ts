import { checkFunction } from './check.ts';
import type { AttemptRecord } from './receipt.ts';

/** An attempt that is about to be made. */
export interface AttemptStart {
  /** Its number within the call, from 1 on. */
  readonly attempt: number;
}

/** An attempt that has ended, as in the call's receipt. */
export interface AttemptEnd extends AttemptRecord {
  /** Its number within the call, from 1 on. */
  readonly attempt: number;
  /**
   * How long the call waits before the next attempt, in milliseconds; absent when this was the last. A rate limit may add
   * to it, and the call may end while it waits.
   */
  readonly retryInMs?: number;
}

/** Called before each attempt, and waited for. */
export type BeforeAttempt = (start: AttemptStart) => unknown;

/** Called with each attempt that has ended. */
export type AfterAttempt = (end: AttemptEnd) => void;

/** @throws TypeError when one of them is no function. */
export function checkAttemptEvents(options: {
  readonly beforeAttempt?: unknown;
  readonly afterAttempt?: unknown;
}): void {
  checkFunction('beforeAttempt', options.beforeAttempt);
  checkFunction('afterAttempt', options.afterAttempt);
}
