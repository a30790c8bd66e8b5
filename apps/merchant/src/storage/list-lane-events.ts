import type { Kysely } from 'kysely';
import type { NumberedEvent, StoredEvent } from '../contract/desk-event.ts';
import { readEvent } from './read-event.ts';
import type { Tables } from './tables.ts';

/** Events that tell the stage of an update in its lane. */
const kinds = [
  'update_queued',
  'update_reopened',
  'attempt_started',
  'attempt_ended',
  'update_settled',
  'update_decided',
] as const satisfies readonly StoredEvent['kind'][];

/** Reads how far the updates have come that are in their lanes now, or were a moment ago: see `EventStore.ofLanes`. */
export async function listLaneEvents(
  database: Kysely<Tables>,
  { at, limit }: { readonly at: Date; readonly limit: number },
): Promise<readonly NumberedEvent[]> {
  const rows = await database
    .with('open', (query) =>
      query
        .selectFrom('updates')
        .select('id')
        .where('state', 'in', ['queued', 'sending'])
        .orderBy('position')
        .limit(limit),
    )
    .with('holding', (query) =>
      query
        .selectFrom('updates')
        .select('id')
        .where('state', '=', 'unknown')
        .where('decision', 'is', null)
        .where('in_outbox', '=', true)
        .limit(limit),
    )
    .with('settled', (query) =>
      query
        .selectFrom('events')
        .select('update_id as id')
        .where('kind', '=', 'update_settled')
        .where('at', '>=', at)
        .orderBy('at', 'desc')
        .limit(limit),
    )
    .with('shown', (query) =>
      query
        .selectFrom('open')
        .select('id')
        .union(query.selectFrom('holding').select('id'))
        .union(query.selectFrom('settled').select('id').$narrowType<{ id: string }>()),
    )
    .with('ends', (query) =>
      query
        .selectFrom('shown')
        .innerJoin('events', 'events.update_id', 'shown.id')
        .where('kind', 'in', kinds)
        .groupBy('shown.id')
        .select(({ fn }) => [fn.min('seq').as('first'), fn.max('seq').as('last')]),
    )
    .selectFrom('events')
    .where(({ or, eb, selectFrom }) =>
      or([
        eb('seq', 'in', selectFrom('ends').select('first')),
        eb('seq', 'in', selectFrom('ends').select('last')),
      ]),
    )
    .select(['seq', 'at', 'event'])
    .orderBy('seq')
    .execute();
  return rows.map(readEvent);
}
