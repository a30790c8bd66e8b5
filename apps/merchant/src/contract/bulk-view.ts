import * as z from 'zod/mini';
import { Outcome } from './update-report.ts';

/** How a bulk stands: read and not started, sending, held, or over. */
export const BulkState = z.enum(['preview', 'running', 'paused', 'done']);
export type BulkState = z.infer<typeof BulkState>;

/** How one row stands; `bad` is never sent. */
export const BulkRowState = z.enum(['bad', 'waiting', 'sending', ...Outcome.options, 'discarded']);
export type BulkRowState = z.infer<typeof BulkRowState>;

/** A bulk of updates from one file. */
export const BulkView = z.object({
  id: z.uuid(),
  /** Name of the file. */
  name: z.string(),
  /** When the file was read: ISO 8601. */
  createdAt: z.string(),
  state: BulkState,
  /** Number of rows in each state; a state without rows is absent. */
  counts: z.partialRecord(BulkRowState, z.number()),
  /** Number of rows in all. */
  rows: z.number(),
  /** Rows settled each second, over the last seconds; absent unless running. */
  ratePerSecond: z.exactOptional(z.number()),
  /** Seconds to the end at this rate; absent unless running, or while there is no rate yet. */
  secondsLeft: z.exactOptional(z.number()),
  /** Why it paused by itself, for the person who looks; absent when it did not. */
  problem: z.exactOptional(z.string()),
});
export type BulkView = z.infer<typeof BulkView>;

/** The answer of `GET /api/bulks`: newest first. */
export const BulkList = z.object({ bulks: z.array(BulkView) });
export type BulkList = z.infer<typeof BulkList>;

/** One row of a bulk. */
export const BulkRow = z.object({
  /** From 1. */
  row: z.number(),
  /** Line of the file where the row begins, from 1. */
  line: z.number(),
  token: z.string(),
  state: BulkRowState,
  /** What is wrong with a bad row, or why the order service or the client did not take it. */
  issues: z.array(
    z.object({
      path: z.string(),
      code: z.string(),
      message: z.string(),
      hint: z.exactOptional(z.string()),
    }),
  ),
  /** What was sent or would be: the update as JSON; of a bad row, what was read. */
  update: z.unknown(),
  attempts: z.exactOptional(z.number()),
  status: z.exactOptional(z.number()),
});
export type BulkRow = z.infer<typeof BulkRow>;

/** The answer of `GET /api/bulks/:id/rows?state=…&after=<row>&limit=…`, in the order of the file. */
export const BulkRows = z.object({
  rows: z.array(BulkRow),
  /** Rows that fit in all. */
  total: z.number(),
});
export type BulkRows = z.infer<typeof BulkRows>;
