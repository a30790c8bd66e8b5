import type { HeldReason } from '@orders/outbox';
import type { Explanation } from '@orders/schema';
import * as z from 'zod/mini';
import type { ShopUpdate } from './order-update.ts';

/** The state of an update, as in the outbox. */
export type UpdateState = 'queued' | 'sending' | 'applied' | 'rejected' | 'needs_review' | 'discarded';

/** An update of an order, from the moment it was accepted. Times are ISO 8601 everywhere. */
export interface UpdateView {
  readonly id: string;
  readonly token: string;
  readonly state: UpdateState;
  readonly attempts: number;
  readonly createdAt: string;
  readonly settledAt?: string;
  /** Why it failed last: a code of the client or of the outbox. */
  readonly code?: string;
  readonly message?: string;
  /** HTTP status of the last response. */
  readonly status?: number;
  readonly issues?: readonly Explanation[];
  /** The client's receipt of the last attempt. */
  readonly receipt?: unknown;
  /** What a person decided. */
  readonly decision?: { readonly at: string; readonly note?: string };
  /** What it waits for, while it is queued. */
  readonly heldBy?: HeldView;
  /** The body; only of a single update, and only while it may still be sent. */
  readonly update?: unknown;
  readonly source: UpdateSource;
  /** The number of its order, as it is now. */
  readonly orderId?: string;
}

/** What a queued update waits for. */
export interface HeldView {
  readonly reason: HeldReason;
  /** The update that waits for a person, or is before this one. */
  readonly id?: string;
  readonly until?: string;
}

/** A page of updates in the order in which they were accepted. */
export interface UpdateList {
  readonly updates: readonly UpdateView[];
  readonly next?: string;
}

/** Where an update came from; `other` is a program that uses the same outbox. */
export type UpdateSource = 'editor' | 'bulk' | 'burst' | 'start' | 'other';

/** One request to the order service. */
export interface AttemptView {
  /** Unique in this process, and rising. */
  readonly number: number;
  readonly token: string;
  /** The update it was an attempt of. */
  readonly updateId?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
  readonly outcome?: 'applied' | 'rejected' | 'not_sent' | 'unknown';
  readonly status?: number;
  readonly code?: string;
  readonly retryAfterMs?: number;
}

export interface OrderSummary {
  readonly token: string;
  readonly orderId: string | null;
  readonly currency: string | null;
  /** Number of cart lines. */
  readonly lines: number;
  /** `waiting` is queued behind an update of the order that needs review. */
  readonly lastUpdate: { readonly state: UpdateState | 'waiting'; readonly at: string } | null;
  readonly needsReview: boolean;
}

/** A page of the orders, in the order in which they were added, or those that a search found. */
export interface OrderList {
  readonly orders: readonly OrderSummary[];
  /** Where the next page begins. */
  readonly next?: string;
  /** The search found more than are listed. */
  readonly isCut?: true;
}

export interface OrderDetail extends OrderSummary {
  /** Updates that are queued, being sent, or need review. */
  readonly open: number;
  /** What was applied last, or what the order held when the app first knew it. */
  readonly body: ShopUpdate;
  /** Changes whenever `body` does. */
  readonly bodyVersion: string;
  readonly qrSession: { readonly id: string; readonly at: string } | null;
  /** What to send as `hooks.webhook_url`. */
  readonly webhookUrl: string;
  /** Newest first, as many as were asked for, and last the one that the others wait for, where it is older. */
  readonly updates: readonly UpdateView[];
  /** Recent attempts for this order, oldest first. */
  readonly attempts: readonly AttemptView[];
}

export interface StatusView {
  readonly outbox: {
    readonly queued: number;
    readonly sending: number;
    readonly needsReview: number;
    readonly rejected: number;
  };
  /** What holds updates that are queued, by reason. */
  readonly held: readonly (HeldView & { readonly updates: number })[];
  readonly service: {
    readonly state: 'ok' | 'service_unavailable' | 'key_refused';
    readonly message?: string;
    readonly nextProbeAt?: string;
  };
  /** Until when a 429 pauses all updates. */
  readonly pausedUntil?: string;
  readonly baseUrl: string;
  /** Where everything is stored. */
  readonly place: string;
  /** What the mock service of this process does to requests; absent where another service is used. */
  readonly faultInjection?: FaultSetting['scenario'];
}

/** `waiting` is queued behind an update of its order that needs review. */
export type BulkRowState = 'invalid' | 'ready' | 'waiting' | UpdateState;

export interface BulkSummary {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  /** `waiting`: nothing more is sent before a person decides. */
  readonly state: 'ready' | 'sending' | 'waiting' | 'done' | 'discarded';
  readonly rows: number;
  readonly invalid: number;
}

export interface BulkView extends BulkSummary {
  readonly counts: Readonly<Record<BulkRowState, number>>;
}

/** A page of the bulks, newest first. */
export interface BulkList {
  readonly bulks: readonly BulkSummary[];
  readonly next?: string;
}

/** A bulk, and a page of its rows, in the sequence of the file. */
export interface BulkPage {
  readonly bulk: BulkView;
  readonly rows: readonly BulkRowView[];
  readonly next?: string;
}

export interface BulkRowView {
  /** Number of the row in the file, from 1. */
  readonly row: number;
  readonly token: string | null;
  readonly state: BulkRowState;
  readonly updateId?: string;
  readonly issues?: readonly BulkIssue[];
  readonly code?: string;
  readonly message?: string;
  readonly status?: number;
}

export interface BulkIssue {
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** One message of the event stream: what to fetch again, and attempts as they begin and end. */
export interface ChangeEvent {
  readonly tokens: readonly string[];
  readonly bulks: readonly string[];
  readonly attempts: readonly AttemptView[];
  readonly status: boolean;
  /** Another process changed more than is listed: fetch everything again. */
  readonly everything: boolean;
}

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

const scenarioNames = ['slow', 'rateLimited', 'unavailable', 'lostResponse', 'down'] as const;

/** What the mock order service does to a percentage of requests; `healthy` is nothing. */
export const FaultSetting = z.object({
  scenario: z.enum(['healthy', ...scenarioNames]),
  percent: z.int().check(z.minimum(1), z.maximum(100)),
});
export type FaultSetting = z.infer<typeof FaultSetting>;

/** How many updates to enqueue at once, over how many orders. */
export const BurstRequest = z.object({
  orders: z.int().check(z.minimum(1), z.maximum(50)),
  updates: z.int().check(z.minimum(1), z.maximum(500)),
});
export type BurstRequest = z.infer<typeof BurstRequest>;

export const ScanRequest = z.object({ token: z.string() });

/** `id` is made by the page, so that a request sent twice is one update. */
export const UpdateRequest = z.object({ id: z.uuid(), update: z.unknown() });

export const DecisionRequest = z.object({ note: z.exactOptional(z.string().check(z.maxLength(1_000))) });

/** The largest bulk file, in bytes and rows. */
export const bulkLimits = { bytes: 16 * 1_048_576, rows: 50_000 } as const;

/** What rows of one order are that stand next to each other and hold different items: one update, an update each, or an issue. */
export const RowsChoice = z.enum(['refuse', 'group', 'each']);
export type RowsChoice = z.infer<typeof RowsChoice>;

/** What the built page holds wherever the nonce of a request belongs. */
export const noncePlaceholder = 'NONCE-OF-THIS-REQUEST';
