/**
 * Order tokens to cycle through. There are far more of them than requests in flight, because our client lets updates
 * to one order leave one at a time, and the others do not.
 */
export const orderTokens: readonly string[] = Array.from(
  { length: 1_024 },
  (_, index) => `ord_${index.toString(16).padStart(24, '0')}`,
);
