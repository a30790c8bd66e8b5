import type { PgBoss } from 'pg-boss';
import { channelOf } from './channel.ts';
import { queueName } from './lane-queue.ts';
import { reclaimLanes } from './reclaim.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import { rowsOf } from './store/sql.ts';
import { type SweepPlace, sweepSettled } from './sweep.ts';

/** What keeps the tables in order while a worker runs. */
export interface Upkeep {
  /** Does what is due; gives whether lanes or jobs came free by it. */
  tend(): Promise<boolean>;
  /** Says that the database was away: whoever has been silent since may only not be back yet. */
  unsteady(): void;
}

/** How long a process must be gone before its lanes are given to others, in milliseconds: it may be connecting anew. */
const goneMs = 2_000;
/** How long a job may be taken without a word of who took it, in milliseconds. */
const unclaimedMs = 5_000;
/** How long the database must have been there before silent workers are given up, in milliseconds. */
const steadyMs = 15_000;
const reclaimEveryMs = 2_000;
const superviseEveryMs = 5_000;
const sweepEveryMs = 60_000;

interface Gone {
  readonly id: string;
  readonly retryCount: number;
}

/** Makes the upkeep of one process. */
export function upkeepOf(parts: {
  readonly boss: PgBoss;
  readonly store: OutboxStore;
  readonly schema: string;
  readonly keepSettledMs: number;
  readonly now: () => number;
}): Upkeep {
  const { boss, store, schema, keepSettledMs, now } = parts;
  let steadySince = now();
  let reclaimedAt = now();
  let supervisedAt = now();
  let sweptAt = Number.NEGATIVE_INFINITY;
  let sweptTo: SweepPlace;

  /**
   * Notes since when the worker of a lane is not connected, for whoever looks next, and gives the jobs of those that
   * have been gone for long, and jobs that somebody took who ended before he said so. A server that has just started
   * has nobody connected yet.
   */
  const findGone = (): Promise<Gone[]> =>
    rowsOf<Gone>(
      store,
      `with seen as (
         select lane.token, exists (
           select from pg_locks
           where locktype = 'advisory' and objsubid = 2 and granted
             and database = (select oid from pg_database where datname = current_database())
             and classid = hashtext('${channelOf(schema)}')::oid and objid = lane.worker::oid
         ) as is_there
         from ${schema}.lanes as lane where state = 'fed'
       ),
       changed as (
         select lane.token, seen.is_there from ${schema}.lanes as lane join seen using (token)
         where lane.state = 'fed' and lane.worker is not null and (lane.missed_at is null) <> seen.is_there for update of lane skip locked
       ),
       noted as (
         update ${schema}.lanes as lane set missed_at = case when not changed.is_there then clock_timestamp() end
         from changed where lane.token = changed.token
       )
       select job.id, job.retry_count as "retryCount"
       from seen join ${schema}.lanes as lane using (token)
       join ${schema}_queue.job as job on job.name = '${queueName}' and job.id = lane.job_id and job.state = 'active'
       where case
         -- Somebody took it since, and has not said so.
         when lane.job_attempt is distinct from job.retry_count
           then job.started_on < clock_timestamp() - ${unclaimedMs} * interval '1 millisecond'
         else not seen.is_there and lane.missed_at < clock_timestamp() - ${goneMs} * interval '1 millisecond'
           and pg_postmaster_start_time() < clock_timestamp() - interval '5 seconds'
         end`,
    );

  async function giveBack(): Promise<boolean> {
    const jobs = await findGone();
    if (jobs.length === 0) return false;
    // Fenced by the attempt, so that a job which somebody else took meanwhile stays his.
    await boss.fail(queueName, jobs);
    await store.query(`select pg_notify('${channelOf(schema)}', 'given back')`);
    return true;
  }

  return {
    async tend() {
      let isFreed = store.exclusive ? false : await giveBack();
      if (now() - reclaimedAt >= reclaimEveryMs) {
        reclaimedAt = now();
        isFreed = (await reclaimLanes(store, schema)) || isFreed;
      }
      if (now() - supervisedAt >= superviseEveryMs && now() - steadySince >= steadyMs) {
        supervisedAt = now();
        await boss.supervise(queueName);
      }
      if (keepSettledMs < Number.POSITIVE_INFINITY && now() - sweptAt >= sweepEveryMs) {
        // Where one batch was not enough, the next follows soon.
        sweptTo = await sweepSettled(store, schema, { keepSettledMs, after: sweptTo });
        if (sweptTo === undefined) sweptAt = now();
      }
      return isFreed;
    },
    unsteady() {
      steadySince = now();
    },
  };
}
