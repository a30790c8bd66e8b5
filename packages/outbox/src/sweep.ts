import type { OutboxStore } from './store/outbox-store.ts';
import { rowsOf } from './store/sql.ts';

/** Updates looked at in one transaction, so that nobody waits long for it. */
const batch = 500;

/** How far a sweep has come: the position of the last update that it looked at; undefined when it is at its end. */
export type SweepPlace = string | undefined;

/**
 * Deletes updates that were applied or discarded so long ago, in milliseconds, lanes that are left without any update,
 * and events that are as old; of those behind a place, at most a batch. Gives the place to go on from.
 */
export async function sweepSettled(
  store: OutboxStore,
  schema: string,
  { keepSettledMs, after = '0' }: { readonly keepSettledMs: number; readonly after?: string | undefined },
): Promise<SweepPlace> {
  // A moment before the calendar of the database begins is no moment.
  const ageMs = Math.min(keepSettledMs, 3e12);
  return store.transaction(async (tx) => {
    const looked = await rowsOf<{ position: string; is_old: boolean; gone: string | null }>(
      tx,
      `with looked as (
         select id, token, position, created_at <= clock_timestamp() - $1 * interval '1 millisecond' as is_old
         from ${schema}.updates where position > $2 order by position limit ${batch}
       ),
       old as (
         select u.id from ${schema}.updates as u join looked using (id)
         where u.state in ('applied', 'discarded') and u.settled_at <= clock_timestamp() - $1 * interval '1 millisecond'
         for update of u skip locked
       ),
       gone as (delete from ${schema}.updates as u using old where u.id = old.id returning u.id)
       select looked.position::text, looked.is_old, case when gone.id is not null then looked.token end as gone
       from looked left join gone using (id) order by looked.position`,
      [ageMs, after],
    );
    const events = await rowsOf(
      tx,
      `delete from ${schema}.events where seq in (
         select seq from (select seq, at from ${schema}.events order by seq limit ${4 * batch}) as first
         where at <= clock_timestamp() - $1 * interval '1 millisecond'
       ) returning 1`,
      [ageMs],
    );
    const tokens = [...new Set(looked.flatMap(({ gone }) => gone ?? []))];
    const free = await rowsOf<{ token: string }>(
      tx,
      `select token from ${schema}.lanes where token = any($1::text[]) and state = 'idle' for update skip locked`,
      [tokens],
    );
    // Only now that the lanes are locked is every update seen that may have been added to them.
    await tx.query(
      `delete from ${schema}.lanes as lane
       where token = any($1::text[]) and not exists (select from ${schema}.updates as u where u.token = lane.token)`,
      [free.map(({ token }) => token)],
    );
    const last = looked.at(-1);
    // What follows a young update is young too.
    const isDone = !last?.is_old || looked.length < batch;
    return isDone ? (events.length === 4 * batch ? after : undefined) : last.position;
  });
}
