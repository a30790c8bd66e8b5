import type { UpdateState } from '@orders/outbox';
import type { Explanation } from '@orders/schema';
import * as z from 'zod/mini';

/** Where an update came from; `other` is a program that uses the same outbox. */
export type UpdateSource = 'editor' | 'bulk' | 'webhook' | 'burst' | 'start' | 'other';

/** `waiting` is queued behind an update of its order that needs review. */
export type ShownState = UpdateState | 'waiting';

/** The states of the rows of a bulk file, as they are drawn from left to right; `locked` waits for who holds its order. */
export const bulkRowStates = [
  'applied',
  'needs_review',
  'waiting',
  'rejected',
  'sending',
  'invalid',
  'discarded',
  'queued',
  'locked',
  'ready',
] as const satisfies readonly ('invalid' | 'ready' | 'locked' | ShownState)[];
export type BulkRowState = (typeof bulkRowStates)[number];

/** Body of every response that is not a success. */
export interface ApiErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly issues?: readonly Explanation[];
    /** Where a file is wrong. */
    readonly row?: number;
    readonly column?: string;
    readonly requestId: string;
  };
}

/** What the mock order service does to a percentage of requests; `healthy` is nothing. */
export const FaultSetting = z.object({
  scenario: z.enum(['healthy', 'slow', 'rateLimited', 'unavailable', 'lostResponse', 'down']),
  percent: z.int().check(z.minimum(1), z.maximum(100)),
});
export type FaultSetting = z.infer<typeof FaultSetting>;

/** How many updates to enqueue at once, over how many orders. */
export const BurstRequest = z.object({
  orders: z.int().check(z.minimum(1), z.maximum(50)),
  updates: z.int().check(z.minimum(1), z.maximum(500)),
});

export const ScanRequest = z.object({ token: z.string() });

/** `id` is made by the page, so that a request sent twice is one update. */
export const UpdateRequest = z.object({ id: z.uuid(), update: z.unknown() });

/** `settledAt` is that of the update as the person saw it, so that no decision is about another state. */
export const DecisionRequest = z.object({
  note: z.exactOptional(z.string().check(z.maxLength(1_000))),
  settledAt: z.exactOptional(z.string()),
});
export type DecisionRequest = z.infer<typeof DecisionRequest>;

/** What rows of one order are that stand next to each other and hold different items: one update, an update each, or an issue. */
export const RowsChoice = z.enum(['refuse', 'group', 'each']);
export type RowsChoice = z.infer<typeof RowsChoice>;
