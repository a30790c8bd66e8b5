import type { OutboxStore } from './store/outbox-store.ts';
import { rowsOf } from './store/sql.ts';

/** Updates deleted in one transaction, so that nobody waits long for it. */
const batch = 500;

/**
 * Deletes updates that were applied or discarded so long ago, in milliseconds, with their events, and lanes that are left
 * without any update; at most a batch of them. Gives whether there may be more.
 */
export async function sweepSettled(
  store: OutboxStore,
  schema: string,
  keepSettledMs: number,
): Promise<boolean> {
  return store.transaction(async (tx) => {
    const gone = await rowsOf<{ token: string }>(
      tx,
      `with old as (
         select id from ${schema}.updates
         where state in ('applied', 'discarded') and settled_at <= clock_timestamp() - $1 * interval '1 millisecond'
         order by settled_at limit ${batch} for update skip locked
       ),
       gone as (delete from ${schema}.updates as u using old where u.id = old.id returning u.id, u.token),
       forgotten as (delete from ${schema}.events as event using gone where event.update_id = gone.id)
       select token from gone`,
      // A moment before the calendar of the database begins is no moment.
      [Math.min(keepSettledMs, 3e12)],
    );
    if (gone.length === 0) return false;
    const tokens = [...new Set(gone.map(({ token }) => token))];
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
    return gone.length === batch;
  });
}
