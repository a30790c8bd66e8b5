import { defineOrderUpdate, type OrderUpdateSchema, type WebhookFields } from '@orders/schema';

/** An order update of this shop: the documented fields, and the names it chose for those the API leaves to the merchant. */
export const ShopUpdate = defineOrderUpdate({
  metadata: ['merchant_reference', 'merchant_note'],
  totalAmount: 'total_amount',
  vatAmount: 'total_vat_amount',
  qrSessionId: 'qr_session_id',
});
export type ShopUpdate = typeof ShopUpdate extends OrderUpdateSchema<infer Update> ? Update : never;

/** Where a webhook carries its event and its session: the payload is undocumented, so the shop and its service agree on it. */
export const webhookFields: WebhookFields = { eventName: 'event', qrSessionId: 'session_id' };
