import * as z from 'zod/mini';
import { fieldNames } from '../../contract/desk-update.ts';
import { maxLines, type OrderForm } from './order-form.ts';

/** As much as the panel for pasting takes: a longer text was not typed here. */
const text = z.string().check(z.maxLength(2 ** 20));
const choice = z.enum(['', 'yes', 'no']);
const carried = text.check(z.refine((json) => json === '' || isJson(json)));
const [reference, note] = fieldNames.metadata;

const Line = z.object({
  kind: text,
  sku: text,
  name: text,
  quantity: text,
  unit_price: text,
  discount_rate: text,
  vat_amount: text,
  carried,
});

const Draft: z.ZodMiniType<OrderForm> = z.object({
  order_id: text,
  purchase_currency: text,
  require_shipping: choice,
  express_shipping: choice,
  [fieldNames.totalAmount]: text,
  [fieldNames.vatAmount]: text,
  cart: z.object({ items: z.array(Line).check(z.maxLength(maxLines)), isListed: z.boolean(), carried }),
  shipping_address: text,
  user_session_id: text,
  user_identifier: text,
  [fieldNames.qrSessionId]: text,
  hooks: z.object({
    user_return_url_on_success: text,
    user_return_url_on_fail: text,
    terms_url: text,
    webhook_url: text,
    carried,
  }),
  [reference]: text,
  [note]: text,
  carried,
  scanned: text,
});

/** Reads a draft as it was kept; undefined when it is none of this page's forms, such as one of an older desk. */
export function parseDraft(kept: unknown): OrderForm | undefined {
  const { data } = Draft.safeParse(kept);
  return data;
}

function isJson(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
