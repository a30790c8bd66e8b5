/** Whether properties run as often as is worthwhile: `pnpm --filter @orders/testing test:long`. */
export const inFull: boolean =
  (import.meta as { readonly env?: { readonly MODE?: string } }).env?.MODE === 'long';
