import * as z from 'zod/mini';

/** What became of an update, in the client's words. */
export const Outcome = z.enum(['applied', 'rejected', 'not_sent', 'unknown']);
export type Outcome = z.infer<typeof Outcome>;

const Issue = z.object({
  path: z.string(),
  code: z.string(),
  message: z.string(),
  hint: z.exactOptional(z.string()),
});

/** What the desk tells the page about one update, whether or not it left the desk. */
export const UpdateReport = z.object({
  ok: z.boolean(),
  outcome: Outcome,
  /** How often the update was sent; 0 when it never left the desk. */
  attempts: z.number(),
  /** When the desk knew the outcome: ISO 8601. */
  at: z.string(),
  /** The HTTP status of the last answer; absent when there was none. */
  status: z.exactOptional(z.number()),
  /** What the order service answered: JSON of a shape that the interface document does not show. */
  data: z.exactOptional(z.unknown()),
  error: z.exactOptional(
    z.object({
      code: z.string(),
      message: z.string(),
      issues: z.exactOptional(z.array(Issue)),
      /** The text that came with a refusal, as far as the client kept it. */
      answer: z.exactOptional(z.string()),
    }),
  ),
  /** Plain data without secrets, to paste into a ticket; absent when nothing was sent. */
  receipt: z.exactOptional(z.unknown()),
});
export type UpdateReport = z.infer<typeof UpdateReport>;
