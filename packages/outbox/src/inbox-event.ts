import { decode } from './updates.ts';

/** The state of an event: it waits for its handler, was handled, needs review since its handler failed too often, or was given up. */
export type EventState = 'queued' | 'handled' | 'needs_review' | 'discarded';

/** An event of a webhook. */
export interface InboxEvent {
  readonly id: string;
  /** The order that it is about. */
  readonly token: string;
  readonly state: EventState;
  /** What `verify` returned; `undefined` in a list, and once it was handled or given up. */
  readonly payload?: unknown;
  readonly receivedAt: Date;
  /** How often its handler has failed. */
  readonly failures: number;
  /** What its handler failed with last, in one line, or who decided about it, and why. */
  readonly message?: string;
}

/** A row of an event. */
export interface EventRow {
  readonly id: string;
  readonly token: string;
  readonly state: EventState;
  readonly payload: string | null;
  readonly traceparent: string | null;
  readonly received_at: number;
  readonly failures: number;
  readonly message: string | null;
}

export const eventColumns =
  'id, token, state, payload, traceparent, extract(epoch from received_at)::float8 as received_at, failures, message';

/** Turns a row into an event. */
export function toEvent({ id, token, state, payload, received_at, failures, message }: EventRow): InboxEvent {
  const details = {
    ...(payload !== null && { payload: decode(payload) }),
    ...(message !== null && { message: String(decode(message)) }),
  };
  return { id, token, state, receivedAt: new Date(received_at * 1_000), failures, ...details };
}
