import { OrderUpdate } from '@orders/schema';
import * as z from 'zod/mini';
import { UpdateReport } from './update-report.ts';

/** An order that this merchant knows. */
export const KnownOrder = z.object({
  /** The service's token for the order, which is its identity here as well. */
  token: z.string(),
  /** The update as it was last sent from this desk, or as it would be sent first. */
  draft: OrderUpdate,
  /** What became of the update sent last; null when none was. */
  report: z.nullable(UpdateReport),
});
export type KnownOrder = z.infer<typeof KnownOrder>;

/** The answer of `GET /api/orders`. */
export const KnownOrderList = z.object({ orders: z.array(KnownOrder) });
export type KnownOrderList = z.infer<typeof KnownOrderList>;
