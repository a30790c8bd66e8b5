/**
 * When a test or hook that hangs is ended, in milliseconds: the same for all, and minutes, since it says nothing of how long
 * one takes. What a test promises is never "within this time".
 */
export const testLimitMs = 180_000;

/** When what hangs within a test is ended, in milliseconds: before its test, which can then say what did not end. */
export const insideTestLimitMs = 150_000;
