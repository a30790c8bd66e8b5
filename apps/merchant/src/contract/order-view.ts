import { OrderUpdate } from '@orders/schema';
import * as z from 'zod/mini';
import { NumberedEvent } from './desk-event.ts';
import { UpdateView } from './update-view.ts';

/** An order as the list shows it. */
export const OrderSummary = z.object({
  /** The service's token for the order, which is its identity here as well. */
  token: z.string(),
  orderId: z.nullable(z.string()),
  currency: z.nullable(z.string()),
  lines: z.number(),
  /** Whether something was typed that has not been sent. */
  hasDraft: z.boolean(),
  lastUpdate: z.nullable(UpdateView),
  /** Updates of this order that wait for a person's decision. */
  undecided: z.number(),
});
export type OrderSummary = z.infer<typeof OrderSummary>;

/** The answer of `GET /api/orders`. */
export const OrderList = z.object({ orders: z.array(OrderSummary) });
export type OrderList = z.infer<typeof OrderList>;

/** An order as the editor shows it: the answer of `GET /api/orders/:token`. */
export const OrderView = z.object({
  ...OrderSummary.shape,
  /** The update last applied from this desk, or what the desk knew of the order at first: what the editor starts from. */
  body: OrderUpdate,
  /** The editor's form as it was left, in the editor's own shape; null when nothing was typed since. */
  draft: z.unknown(),
  /** The session that the webhook `start_qr_session` brought last. */
  qrSession: z.nullable(z.object({ id: z.string(), at: z.string() })),
  /** Where the order service reaches this desk for this order; its last part cannot be guessed. */
  webhookUrl: z.string(),
  /** The latest updates, newest first. */
  updates: z.array(UpdateView),
  /** What happened to them and to the order, oldest first. */
  events: z.array(NumberedEvent),
});
export type OrderView = z.infer<typeof OrderView>;

/** The body of `PUT /api/orders/:token/draft`; null forgets the draft. The answer is 204. */
export const DraftRequest = z.object({ draft: z.unknown() });
export type DraftRequest = z.infer<typeof DraftRequest>;

/** The answer of `POST /api/orders/:token/scan`, which plays a buyer who scans the QR code. */
export const ScanReport = z.object({
  /** Whether the order service delivered `start_qr_session` to this desk. */
  delivered: z.boolean(),
  /** Why not, for the person who asked; absent when it did. */
  problem: z.exactOptional(z.string()),
});
export type ScanReport = z.infer<typeof ScanReport>;
