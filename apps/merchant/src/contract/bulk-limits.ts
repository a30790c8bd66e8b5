/** The largest file of updates that is read, in bytes. */
export const maxFileBytes = 16 * 1_048_576;

/** The most rows that one file may hold. */
export const maxFileRows = 50_000;
