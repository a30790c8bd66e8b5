/** What an update is called in messages and receipts: of the order token only the last four characters. */
export function orderLabel(token: unknown): string {
  const tail = typeof token === 'string' && token.length > 8 ? [...token].slice(-4).join('') : '';
  return `PATCH /v2/orders/…${tail.replace(/[^\w-]/g, '')}`;
}
