import type { Transaction } from 'kysely';
import type { NumberedEvent, StoredEvent } from '../contract/desk-event.ts';
import type { EventStore } from './desk-storage.ts';
import { listLaneEvents } from './list-lane-events.ts';
import { readEvent } from './read-event.ts';
import type { StoreParts } from './store-parts.ts';
import type { Tables } from './tables.ts';

const columns = ['seq', 'at', 'event'] as const;

/** Makes the store of events. */
export function createEventStore({ database, change, now }: StoreParts): EventStore {
  const events = database.selectFrom('events').select(columns);
  return {
    append: (event) => change((transaction) => addEvent(transaction, event, now())),

    async after(seq, limit) {
      const rows = await events.where('seq', '>', seq).orderBy('seq').limit(limit).execute();
      return rows.map(readEvent);
    },

    async ofOrder(token, limit) {
      const rows = await events.where('token', '=', token).orderBy('seq', 'desc').limit(limit).execute();
      return rows.reverse().map(readEvent);
    },

    ofLanes: (at, limit) => listLaneEvents(database, { at, limit }),

    async since(kind, at, limit) {
      const rows = await events
        .where('kind', '=', kind)
        .where('at', '>=', at)
        .orderBy('at', 'desc')
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      return rows.reverse().map(readEvent);
    },

    async lastSeq() {
      const last = await database
        .selectFrom('events')
        .select('seq')
        .orderBy('seq', 'desc')
        .executeTakeFirst();
      return last?.seq ?? 0;
    },
  };
}

/** Stores an event as a step of a change. */
export async function addEvent(
  transaction: Transaction<Tables>,
  event: StoredEvent,
  at: Date,
): Promise<NumberedEvent> {
  const row = await transaction
    .insertInto('events')
    .values({
      at,
      token: event.token,
      update_id: 'updateId' in event ? event.updateId : null,
      kind: event.kind,
      event: JSON.stringify(event),
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return readEvent(row);
}
