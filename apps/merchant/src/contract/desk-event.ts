import * as z from 'zod/mini';
import { BulkView } from './bulk-view.ts';
import { SwitchboardView } from './switchboard-view.ts';
import { Outcome } from './update-report.ts';
import { Decision, UpdateView } from './update-view.ts';

const ofUpdate = { token: z.string(), updateId: z.string() };
/** The round of the update in which an attempt was made; absent in the first, which is 0. */
const ofRound = { round: z.exactOptional(z.number()) };

/** What happened to an update or an order. These are stored, numbered, and kept. */
export const StoredEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('update_queued'), ...ofUpdate, update: UpdateView }),
  z.object({ kind: z.literal('attempt_started'), ...ofUpdate, attempt: z.number(), ...ofRound }),
  z.object({
    kind: z.literal('attempt_ended'),
    ...ofUpdate,
    attempt: z.number(),
    outcome: Outcome,
    status: z.exactOptional(z.number()),
    /** The client's code of what went wrong, if anything did. */
    error: z.exactOptional(z.string()),
    durationMs: z.number(),
    /** How long the client waits before the next attempt; absent when this was the last. */
    retryDelayMs: z.exactOptional(z.number()),
    /** Whether the outbox will send it again, at a time of its own. */
    isRetried: z.exactOptional(z.literal(true)),
    ...ofRound,
  }),
  z.object({ kind: z.literal('update_settled'), ...ofUpdate, update: UpdateView }),
  z.object({ kind: z.literal('update_decided'), ...ofUpdate, decision: Decision, update: UpdateView }),
  z.object({
    kind: z.literal('update_reopened'),
    ...ofUpdate,
    /** Attempts that were made before. */
    after: z.number(),
    update: UpdateView,
  }),
  z.object({ kind: z.literal('qr_session'), token: z.string(), sessionId: z.string() }),
]);
export type StoredEvent = z.infer<typeof StoredEvent>;

/** A stored event with its number and its time (ISO 8601). */
export const NumberedEvent = z.object({ seq: z.number(), at: z.string(), event: StoredEvent });
export type NumberedEvent = z.infer<typeof NumberedEvent>;

/**
 * The answer of `GET /api/switchboard/lanes`, oldest first: of each update that is open, or was settled within the last
 * minute, the first event and the last of those that tell its stage.
 */
export const LaneEvents = z.object({ events: z.array(NumberedEvent) });
export type LaneEvents = z.infer<typeof LaneEvents>;

/** How things stand now: told to whoever listens, and not stored. */
export const PassingEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('bulk_changed'), bulk: BulkView }),
  z.object({ kind: z.literal('switchboard_changed'), switchboard: SwitchboardView }),
]);
export type PassingEvent = z.infer<typeof PassingEvent>;

/**
 * One message of the stream `GET /api/events`: `event: stored` with the number as its id, or `event: passing`.
 * A listener that comes back with `Last-Event-ID` is told what it missed.
 */
export type DeskMessage =
  | ({ readonly type: 'stored' } & NumberedEvent)
  | { readonly type: 'passing'; readonly event: PassingEvent };
