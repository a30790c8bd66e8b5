import { channelOf } from './channel.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import { rowsOf } from './store/sql.ts';

/** How many processes are at work, each seen by a lock that it holds while it is connected. */
export async function countWorkers(store: OutboxStore, schema: string): Promise<number> {
  if (store.exclusive) return 1;
  const [row] = await rowsOf<{ count: string }>(
    store,
    `select count(distinct objid) as count from pg_locks
     where locktype = 'advisory' and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database())
       and classid = hashtext('${channelOf(schema)}:work')::oid`,
  );
  return Number(row?.count ?? 1);
}
