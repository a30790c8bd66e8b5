import type { Sql } from './store/sql.ts';

/** Finds the first update of a lane that is queued or being sent; of a lane as the statement names it. */
export const findOpen = (schema: string, lane: string, columns = 'u.position'): string => `
  select ${columns} from ${schema}.updates as u
  where u.token = ${lane}.token and u.position >= ${lane}.first_open and u.state in ('queued', 'sending')
  order by u.position limit 1`;

/**
 * Lets lanes go on that stood still for an update, or whose updates were changed by hand; a lane that is being worked
 * on, or stands still for another update, is left as it is. They must have been locked by an
 * earlier statement of the transaction, so that every update that was added to them is seen.
 */
export async function freeLanes(
  tx: Sql,
  schema: string,
  freed: readonly { readonly token: string; readonly id: string }[],
): Promise<void> {
  if (freed.length === 0) return;
  await tx.query(
    `update ${schema}.lanes as lane set
       state = case
         when lane.state = 'fed' or lane.held_by <> freed.id then lane.state
         when exists (${findOpen(schema, 'lane')}) then 'waiting'
         else 'idle' end,
       ready_at = case when lane.state in ('held', 'idle') then clock_timestamp() else lane.ready_at end,
       held_by = nullif(lane.held_by, freed.id)
     from unnest($1::text[], $2::uuid[]) as freed (token, id)
     where lane.token = freed.token`,
    [freed.map(({ token }) => token), freed.map(({ id }) => id)],
  );
}
