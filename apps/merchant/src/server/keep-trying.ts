import { setTimeout as pause } from 'node:timers/promises';

export interface KeepTryingOptions {
  /** Once it has fired, a task is tried one last time. */
  readonly signal: AbortSignal;
  /** Told of the first failure alone: those that follow say the same. */
  readonly onFailure: (error: unknown) => void;
  /** Whether a failure is for good, so that trying again is no use. */
  readonly isFinal: (error: unknown) => boolean;
  /** The wait after the first failure, in milliseconds; doubled after each other one, up to half a minute. @default 250 */
  readonly firstWaitMs?: number;
}

const longestWaitMs = 30_000;

/** Tries a task until it succeeds. Rejects with the task's error when it is final, or once the signal has fired. */
export async function keepTrying<T>(task: () => Promise<T>, options: KeepTryingOptions): Promise<T> {
  const { signal, onFailure, isFinal, firstWaitMs = 250 } = options;
  for (let failures = 0; ; failures += 1) {
    const isLast = signal.aborted;
    try {
      return await task();
    } catch (error) {
      if (failures === 0) onFailure(error);
      if (isLast || isFinal(error)) throw error;
      // The signal ends the wait, not the trying.
      await pause(Math.min(firstWaitMs * 2 ** failures, longestWaitMs), undefined, { signal }).catch(
        () => {},
      );
    }
  }
}
