/** What the built page holds wherever a request's own nonce belongs. */
export const noncePlaceholder = 'NONCE-OF-THIS-REQUEST';
