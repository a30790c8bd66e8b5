/** Where an order is shown. */
export function orderHref(token: string): string {
  return `/orders/${encodeURIComponent(token)}`;
}
