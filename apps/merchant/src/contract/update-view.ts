import * as z from 'zod/mini';
import { UpdateReport } from './update-report.ts';

/**
 * How an update stands. `queued` has not left; `sending` is stored before a byte leaves and may have arrived;
 * the others are outcomes of the client.
 */
export const UpdateState = z.enum(['queued', 'sending', 'applied', 'rejected', 'not_sent', 'unknown']);
export type UpdateState = z.infer<typeof UpdateState>;

/** What a person chose for an update whose outcome is unknown. */
export const Decision = z.enum(['sent_again', 'discarded']);
export type Decision = z.infer<typeof Decision>;

/** An update that this desk accepted. */
export const UpdateView = z.object({
  /** Made by the page, so that asking twice for the same update sends it once. */
  id: z.uuid(),
  token: z.string(),
  state: UpdateState,
  /** Length of the body in bytes. */
  bodyBytes: z.number(),
  /** When the desk accepted it: ISO 8601. */
  createdAt: z.string(),
  /** What became of it; null while that is open. */
  report: z.nullable(UpdateReport),
  /** What a person chose; null while nobody did, or where there is nothing to choose. */
  decision: z.nullable(Decision),
  /** The update that this one sends again. */
  repeats: z.nullable(z.uuid()),
});
export type UpdateView = z.infer<typeof UpdateView>;

/** Whether an update waits for a person: its outcome is unknown, and nobody has decided. */
export function awaitsDecision({ state, decision }: Pick<UpdateView, 'state' | 'decision'>): boolean {
  return state === 'unknown' && decision === null;
}

/** The body of `POST /api/orders/:token/updates`. The answer is 202 and an `UpdateView`, or 422 and an `UpdateReport`. */
export const UpdateRequest = z.object({
  id: z.uuid(),
  /** The order update, judged by the desk's schema. */
  update: z.unknown(),
});
export type UpdateRequest = z.infer<typeof UpdateRequest>;

/** The body of `POST /api/updates/:id/decision`. The answer is the `UpdateView` decided on; one sent again is a new update. */
export const DecisionRequest = z.object({ decision: Decision });
export type DecisionRequest = z.infer<typeof DecisionRequest>;
