/** Whether the long tests run in full: `pnpm --filter @orders/outbox test:long`. */
export const inFull: boolean =
  (import.meta as { readonly env?: { readonly MODE?: string } }).env?.MODE === 'long';
