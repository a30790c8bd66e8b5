/** Whether properties are tried as often as they can be: `pnpm --filter @orders/testing test:long`. */
export const inFull: boolean =
  (import.meta as { readonly env?: { readonly MODE?: string } }).env?.MODE === 'long';
