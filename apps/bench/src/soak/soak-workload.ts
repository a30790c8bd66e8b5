import { orderTokens } from '../workload/order-tokens.ts';

/** The key that the service takes. */
export const soakKey = 'soak-key';

/** The token of an update: there are few, so that updates to one order meet in its lane. */
export function tokenOf(index: number): string {
  return orderTokens[index % orderTokens.length] ?? '';
}

/** The update of this index: the ledger tells it by its order id. */
export function updateOf(index: number) {
  const line = { type: 'physical', sku: `SKU-${index}`, quantity: 1, unit_price: 14_900, vat_amount: 2_980 };
  return { order_id: String(index), purchase_currency: 'NOK', cart: { items: [line] } };
}

/** The index of an update that was applied. */
export function indexOf(update: { readonly order_id?: string | undefined }): number {
  return Number(update.order_id);
}
