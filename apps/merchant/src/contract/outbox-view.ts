import * as z from 'zod/mini';
import { UpdateView } from './update-view.ts';

/** An update that the outbox has before it. */
export const WaitingUpdate = z.object({
  update: UpdateView,
  /** Times it was, or may have been, sent. */
  attempts: z.number(),
  /**
   * What it waits for: the `answer` of the order service, the time of its next `attempt`, a person's `decision` on an
   * earlier update of its order, an `earlier` update to leave, or its `turn`.
   */
  waitsFor: z.enum(['answer', 'attempt', 'decision', 'earlier', 'turn']),
  /** How the last attempt ended; null before that, and while another is under way. */
  lastEnd: z.nullable(
    z.object({
      at: z.string(),
      status: z.exactOptional(z.number()),
      error: z.exactOptional(z.string()),
    }),
  ),
});
export type WaitingUpdate = z.infer<typeof WaitingUpdate>;

/**
 * How the outbox stands: the answer of `GET /api/outbox`, which is there where the desk sends through one. What waits for
 * a person is in that of `GET /api/updates/undecided`.
 */
export const OutboxView = z.object({
  /** How many updates there are in each state. */
  counts: z.object({
    queued: z.number(),
    sending: z.number(),
    needsReview: z.number(),
    rejected: z.number(),
  }),
  /** While it is not `ok`, nothing is sent but probes. */
  service: z.enum(['ok', 'service_unavailable', 'key_refused']),
  /** Until when nothing is sent, since the order service asked for it: ISO 8601. */
  pausedUntil: z.exactOptional(z.string()),
  /** The first of those that are queued or being sent, in the order in which they were accepted. */
  waiting: z.array(WaitingUpdate),
});
export type OutboxView = z.infer<typeof OutboxView>;

/** What sends the updates of a desk: its own client at once, or an outbox in their turn. */
export type SendsThrough = UpdateView['sentThrough'];
