import * as z from 'zod/mini';

const Line = z.object({
  type: z.optional(z.string()),
  sku: z.optional(z.string()),
  name: z.optional(z.string()),
  quantity: z.optional(z.int()),
  unit_price: z.optional(z.int()),
  discount_rate: z.optional(z.int()),
  vat_amount: z.optional(z.int()),
});

/** The same model as the one of classic zod, with zod mini. */
const HandWrittenUpdate = z.object({
  order_id: z.optional(z.string().check(z.maxLength(255))),
  purchase_currency: z.optional(z.string().check(z.length(3))),
  cart: z.object({ items: z.optional(z.array(Line)) }),
  require_shipping: z.optional(z.boolean()),
  express_shipping: z.optional(z.boolean()),
  shipping_address: z.optional(z.record(z.string(), z.unknown())),
  hooks: z.optional(
    z.object({
      user_return_url_on_success: z.optional(z.url()),
      user_return_url_on_fail: z.optional(z.url()),
      terms_url: z.optional(z.url()),
      webhook_url: z.optional(z.url()),
    }),
  ),
  user_session_id: z.optional(z.string()),
  user_identifier: z.optional(z.string()),
});

export const validate = (update: unknown): unknown => HandWrittenUpdate.parse(update);
