import { defineOrderUpdate, type OrderUpdateSchema, type WebhookFields } from '@orders/schema';

/**
 * The names this merchant uses for the fields that the interface document describes without naming them.
 * They are given here once: page, server, client and the desk's own order service read them from here.
 */
export const fieldNames = {
  metadata: ['merchant_reference', 'merchant_note'],
  totalAmount: 'total_amount',
  vatAmount: 'total_vat_amount',
  qrSessionId: 'qr_session_id',
} as const;

/** An order update of this merchant: the documented fields, and those of `fieldNames`. */
export const DeskUpdate = defineOrderUpdate(fieldNames);
export type DeskUpdate = typeof DeskUpdate extends OrderUpdateSchema<infer Update> ? Update : never;

/** Where this merchant's order service puts what a webhook call says: the interface document shows no payload. */
export const webhookFieldNames: WebhookFields = { eventName: 'event', qrSessionId: 'session_id' };
