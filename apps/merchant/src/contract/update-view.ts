import * as z from 'zod/mini';
import { UpdateReport } from './update-report.ts';

/**
 * How an update stands. `queued` has not left; `sending` is stored before a byte leaves and may have arrived;
 * the others are outcomes of the client.
 */
export const UpdateState = z.enum(['queued', 'sending', 'applied', 'rejected', 'not_sent', 'unknown']);
export type UpdateState = z.infer<typeof UpdateState>;

/** What a person chose for an update that waited for it. */
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
  /** What sends it: the desk's own client at once, or the outbox in its turn. */
  sentThrough: z._default(z.enum(['client', 'outbox']), 'client'),
  /** How often the outbox sent it off anew after it had come to an end. */
  round: z._default(z.number(), 0),
});
export type UpdateView = z.infer<typeof UpdateView>;

/**
 * Whether an update waits for a person, and nobody has decided: its outcome is unknown, or it was refused and the outbox
 * keeps it.
 */
export function awaitsDecision({
  state,
  decision,
  sentThrough,
}: Pick<UpdateView, 'state' | 'decision' | 'sentThrough'>): boolean {
  const isKept = sentThrough === 'outbox' && (state === 'rejected' || state === 'not_sent');
  return decision === null && (state === 'unknown' || isKept);
}

/** The body of `POST /api/orders/:token/updates`. The answer is 202 and an `UpdateView`, or 422 and an `UpdateReport`. */
export const UpdateRequest = z.object({
  id: z.uuid(),
  /** The order update, judged by the desk's schema. */
  update: z.unknown(),
});
export type UpdateRequest = z.infer<typeof UpdateRequest>;

/**
 * The body of `POST /api/updates/:id/decision`. The answer is the `UpdateView` decided on. What is sent again is a new
 * update, but in the outbox, where it is the same one in a further round.
 */
export const DecisionRequest = z.object({
  decision: Decision,
  /** The round that the person saw: in another there is something else to decide. @default whichever it is */
  round: z.exactOptional(z.number()),
});
export type DecisionRequest = z.infer<typeof DecisionRequest>;
