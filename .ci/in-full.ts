/** Whether tests run in full, as `test:long` does. */
export const inFull: boolean =
  (import.meta as { readonly env?: { readonly MODE?: string } }).env?.MODE === 'long';
