import * as z from 'zod';

const Line = z.object({
  type: z.string().optional(),
  sku: z.string().optional(),
  name: z.string().optional(),
  quantity: z.int().optional(),
  unit_price: z.int().optional(),
  discount_rate: z.int().optional(),
  vat_amount: z.int().optional(),
});

/** The update as an engineer models it with classic zod, from the same document as ours. */
export const HandWrittenUpdate = z.object({
  order_id: z.string().max(255).optional(),
  purchase_currency: z.string().length(3).optional(),
  cart: z.object({ items: z.array(Line).optional() }),
  require_shipping: z.boolean().optional(),
  express_shipping: z.boolean().optional(),
  shipping_address: z.record(z.string(), z.unknown()).optional(),
  hooks: z
    .object({
      user_return_url_on_success: z.url().optional(),
      user_return_url_on_fail: z.url().optional(),
      terms_url: z.url().optional(),
      webhook_url: z.url().optional(),
    })
    .optional(),
  user_session_id: z.string().optional(),
  user_identifier: z.string().optional(),
});
