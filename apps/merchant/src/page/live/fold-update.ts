import type { NumberedEvent } from '../../contract/desk-event.ts';
import type { UpdateState, UpdateView } from '../../contract/update-view.ts';

/** One attempt to send an update, as far as it is known. */
interface LiveAttempt {
  readonly number: number;
  /** When it was stored that bytes may leave: ISO 8601; absent while only its end is known. */
  readonly startedAt?: string;
  readonly end?: AttemptEnd;
}

/** A time when the outbox sent the update off anew. */
interface Reopening {
  readonly round: number;
  /** ISO 8601. */
  readonly at: string;
  /** Attempts that were made before. */
  readonly after: number;
}

/** How an attempt ended. */
export interface AttemptEnd extends Omit<EndedEvent, 'kind' | 'token' | 'updateId' | 'attempt' | 'round'> {
  /** When it was stored: ISO 8601. */
  readonly at: string;
}

/** An update and what happened to it so far. */
export interface LiveUpdate {
  readonly update: UpdateView;
  /** In the order of their numbers. */
  readonly attempts: readonly LiveAttempt[];
  /** In their order. */
  readonly reopenings: readonly Reopening[];
}

type EndedEvent = Extract<NumberedEvent['event'], { readonly kind: 'attempt_ended' }>;

/**
 * Takes one event into what is known of an update. An event of another update, a repeated one, and one that comes late
 * change nothing that is known better: in whatever order the same events come, the result is the same.
 */
export function foldUpdate(before: LiveUpdate, { at, event }: NumberedEvent): LiveUpdate {
  if (event.kind === 'qr_session' || event.updateId !== before.update.id) return before;
  switch (event.kind) {
    case 'update_queued':
    case 'update_settled':
    case 'update_decided':
      return { ...before, update: newer(before.update, event.update) };
    case 'update_reopened': {
      const { update, after } = event;
      return noteReopening(
        { ...before, update: newer(before.update, update) },
        { at, after, round: update.round },
      );
    }
    case 'attempt_started':
      return noteAttempt(before, { number: event.attempt, startedAt: at }, event.round);
    case 'attempt_ended': {
      const { kind: _, token: __, updateId: ___, attempt, round, ...end } = event;
      return noteAttempt(before, { number: attempt, end: { ...end, at } }, round);
    }
  }
}

/** What is known of an update from its own view and the events of its order. */
export function readLiveUpdate(update: UpdateView, events: readonly NumberedEvent[]): LiveUpdate {
  return events.reduce(foldUpdate, { update, attempts: [], reopenings: [] });
}

/** Of two views of one update, the one that was taken later. */
export function newer(one: UpdateView, other: UpdateView): UpdateView {
  if (one.round !== other.round) return one.round > other.round ? one : other;
  return progress(other) > progress(one) ? other : one;
}

/** An update as it is at the least once it was heard of an attempt in a round. */
export function onItsWay(update: UpdateView, round = 0): UpdateView {
  const open = { ...update, state: 'sending', report: null, decision: null, round } as const;
  return newer(update, open);
}

const order: Readonly<Record<UpdateState, number>> = {
  queued: 0,
  sending: 1,
  // An answer that comes late may still tell what became of it.
  unknown: 2,
  applied: 3,
  rejected: 3,
  not_sent: 3,
};

function progress({ state, decision }: UpdateView): number {
  return decision ? 4 : order[state];
}

function noteReopening(before: LiveUpdate, noted: Reopening): LiveUpdate {
  const others = before.reopenings.filter(({ round }) => round !== noted.round);
  return { ...before, reopenings: [...others, noted].sort((one, other) => one.round - other.round) };
}

function noteAttempt(before: LiveUpdate, noted: LiveAttempt, round?: number): LiveUpdate {
  const known = before.attempts.find(({ number }) => number === noted.number);
  const others = before.attempts.filter((attempt) => attempt !== known);
  const attempts = [...others, { ...known, ...noted }].sort((one, other) => one.number - other.number);
  return { ...before, update: onItsWay(before.update, round), attempts };
}
