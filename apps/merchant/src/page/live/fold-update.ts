import type { NumberedEvent } from '../../contract/desk-event.ts';
import type { UpdateState, UpdateView } from '../../contract/update-view.ts';

/** One attempt to send an update, as far as it is known. */
interface LiveAttempt {
  readonly number: number;
  /** When it was stored that bytes may leave: ISO 8601; absent while only its end is known. */
  readonly startedAt?: string;
  readonly end?: AttemptEnd;
}

/** How an attempt ended. */
export interface AttemptEnd extends Omit<EndedEvent, 'kind' | 'token' | 'updateId' | 'attempt'> {
  /** When it was stored: ISO 8601. */
  readonly at: string;
}

/** An update and what happened to it so far. */
export interface LiveUpdate {
  readonly update: UpdateView;
  /** In the order of their numbers. */
  readonly attempts: readonly LiveAttempt[];
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
    case 'attempt_started':
      return noteAttempt(before, { number: event.attempt, startedAt: at });
    case 'attempt_ended': {
      const { kind: _, token: __, updateId: ___, attempt, ...end } = event;
      return noteAttempt(before, { number: attempt, end: { ...end, at } });
    }
  }
}

/** What is known of an update from its own view and the events of its order. */
export function readLiveUpdate(update: UpdateView, events: readonly NumberedEvent[]): LiveUpdate {
  return events.reduce(foldUpdate, { update, attempts: [] });
}

/** Of two views of one update, the one that was taken later. */
export function newer(one: UpdateView, other: UpdateView): UpdateView {
  return progress(other) > progress(one) ? other : one;
}

const order: Readonly<Record<UpdateState, number>> = {
  queued: 0,
  sending: 1,
  applied: 2,
  rejected: 2,
  not_sent: 2,
  unknown: 2,
};

function progress({ state, decision }: UpdateView): number {
  return decision ? 3 : order[state];
}

function noteAttempt(before: LiveUpdate, noted: LiveAttempt): LiveUpdate {
  const known = before.attempts.find(({ number }) => number === noted.number);
  const others = before.attempts.filter((attempt) => attempt !== known);
  const attempts = [...others, { ...known, ...noted }].sort((one, other) => one.number - other.number);
  const { update } = before;
  return { update: newer(update, { ...update, state: 'sending' }), attempts };
}
