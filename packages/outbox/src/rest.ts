import { setTimeout as delay } from 'node:timers/promises';

/** The longest that Node can wait, in milliseconds: it takes more for nothing. */
export const longestMs = 2 ** 31 - 1;

/** Waits, in milliseconds, 24 days at most; gives whether the time passed, rather than the signal ended it. */
export async function rest(ms: number, signal?: AbortSignal): Promise<boolean> {
  try {
    await delay(Math.min(ms, longestMs), undefined, signal && { signal });
    return true;
  } catch {
    return false;
  }
}
