import type { Selectable } from 'kysely';
import type { NumberedEvent } from '../contract/desk-event.ts';
import type { EventsTable } from './tables.ts';

/** Reads an event from its row. */
export function readEvent({
  seq,
  at,
  event,
}: Pick<Selectable<EventsTable>, 'seq' | 'at' | 'event'>): NumberedEvent {
  return { seq, at: at.toISOString(), event };
}
