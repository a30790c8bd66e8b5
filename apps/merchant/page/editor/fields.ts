/** Amounts of this shop are typed in major units: 258.00 is sent as 25800. */
export const amounts = { decimals: 2 };

export interface FieldInfo {
  readonly name: string;
  readonly label: string;
  readonly kind?: 'text' | 'amount' | 'choice' | 'json' | 'currency' | 'integer';
  readonly description?: string;
}

/** The fields of an order beside its lines, as the editor groups them. */
export const sections = [
  {
    id: 'order',
    title: 'Order and totals',
    fields: [
      { name: 'order_id', label: 'Order number', description: 'Yours, not the token of the order' },
      { name: 'purchase_currency', label: 'Currency', kind: 'currency' },
      { name: 'total_amount', label: 'Total including VAT', kind: 'amount' },
      { name: 'total_vat_amount', label: 'Total VAT', kind: 'amount' },
    ],
  },
  {
    id: 'shipping',
    title: 'Shipping',
    fields: [
      { name: 'require_shipping', label: 'Needs shipping', kind: 'choice' },
      { name: 'express_shipping', label: 'Express shipping', kind: 'choice' },
      { name: 'shipping_address', label: 'Shipping address', kind: 'json', description: 'A JSON object' },
    ],
  },
  {
    id: 'buyer',
    title: 'Buyer and QR payment',
    fields: [
      { name: 'user_session_id', label: 'Session of the buyer' },
      { name: 'user_identifier', label: 'Identifier of the buyer' },
      {
        name: 'qr_session_id',
        label: 'QR payment session',
        description: 'From the start_qr_session webhook',
      },
    ],
  },
  {
    id: 'urls',
    title: 'URLs',
    fields: [
      { name: 'hooks.user_return_url_on_success', label: 'After a successful payment' },
      { name: 'hooks.user_return_url_on_fail', label: 'After a failed payment' },
      { name: 'hooks.terms_url', label: 'Terms' },
      { name: 'hooks.webhook_url', label: 'Webhooks' },
    ],
  },
  {
    id: 'notes',
    title: 'Notes',
    fields: [
      { name: 'merchant_reference', label: 'Reference' },
      { name: 'merchant_note', label: 'Note' },
    ],
  },
] as const satisfies readonly { id: string; title: string; fields: readonly FieldInfo[] }[];

/** The fields of a cart line, with their widths of twelve columns. */
export const lineFields = [
  { name: 'type', label: 'Type', span: 3 },
  { name: 'sku', label: 'SKU', span: 3 },
  { name: 'name', label: 'Name', span: 6 },
  { name: 'quantity', label: 'Quantity', kind: 'integer', span: 3 },
  { name: 'unit_price', label: 'Price', kind: 'amount', span: 3 },
  { name: 'discount_rate', label: 'Discount rate', kind: 'integer', span: 3 },
  { name: 'vat_amount', label: 'VAT', kind: 'amount', span: 3 },
] as const satisfies readonly (FieldInfo & { readonly span: number })[];

/** The fields of all sections, in their order. */
export const orderFields: readonly FieldInfo[] = sections.flatMap(({ fields }) => [...fields]);

/** The label of a field, from its name in the form. */
export function labelOf(name: string): string {
  if (name === 'cart.items') return 'Lines';
  const [, line, field] = /^cart\.items\.(\d+)(?:\.(\w+))?$/.exec(name) ?? [];
  if (line === undefined) return orderFields.find((known) => known.name === name)?.label ?? name;
  const label = lineFields.find((known) => known.name === field)?.label;
  return `${label ? `${label}, line` : 'Line'} ${Number(line) + 1}`;
}
