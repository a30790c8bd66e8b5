/** The largest bulk file, in bytes and rows. */
export const bulkLimits = { bytes: 16 * 1_048_576, rows: 50_000 } as const;

/** How many updates of an order are shown: at first, and at most. */
export const historyLimits = { first: 5, most: 200 } as const;

/** How often a quiet event stream says that it is alive, in milliseconds. */
export const beatMs = 15_000;

/** What the built page holds wherever the nonce of a request belongs. */
export const noncePlaceholder = 'NONCE-OF-THIS-REQUEST';
