import type { PgBoss } from 'pg-boss';
import { queueName } from './lane-queue.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import { rowsOf } from './store/sql.ts';

/** Drops every job of an earlier process: where this process alone uses the database, each was left behind. */
export async function dropJobs(boss: PgBoss, store: OutboxStore): Promise<void> {
  if (store.exclusive) await boss.deleteAllJobs(queueName);
}

/** Takes up lanes that should have a job and have none. Gives whether there were any. */
export async function reclaimLanes(store: OutboxStore, schema: string): Promise<boolean> {
  const without = `state = 'fed' and not exists (
    select from ${schema}_queue.job as job
    where job.name = '${queueName}' and job.state < 'completed' and job.id = lane.job_id
  )`;
  return store.transaction(async (tx) => {
    const found = await rowsOf<{ token: string }>(
      tx,
      `select token from ${schema}.lanes as lane where ${without} for update skip locked`,
    );
    if (found.length === 0) return false;
    // Only now that the lanes are locked is every job seen that may have been made for them.
    await tx.query(
      `update ${schema}.lanes as lane set ready_at = clock_timestamp(),
         state = case when lane.held_by is null then 'waiting' else 'held' end
       where token = any($1::text[]) and ${without}`,
      [found.map(({ token }) => token)],
    );
    return true;
  });
}
