import type { AttemptRecord } from './receipt.ts';

/** An attempt that is about to be made. */
export interface AttemptStart {
  /** Its number within the call, from 1 on. */
  readonly attempt: number;
}

/** An attempt that has ended, told as the call's receipt tells it. */
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

/** Told of each attempt that has ended. */
export type AfterAttempt = (end: AttemptEnd) => void;

/** @throws TypeError when what is to be called is no function. */
export function checkAttemptEvents(beforeAttempt: unknown, afterAttempt: unknown): void {
  if (beforeAttempt !== undefined && typeof beforeAttempt !== 'function')
    throw new TypeError('beforeAttempt: pass a function; what it returns is waited for before each attempt.');
  if (afterAttempt !== undefined && typeof afterAttempt !== 'function')
    throw new TypeError('afterAttempt: pass a function; it is told of each attempt that has ended.');
}
