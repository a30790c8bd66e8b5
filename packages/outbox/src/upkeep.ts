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
  /** Says that the database was away: whoever seems to be gone since may only not be back yet. */
  unsteady(): void;
}

/** How long a process must be gone before its lanes are given to others, in milliseconds: it may be connecting anew. */
const goneMs = 2_000;
/** How long the database must have been there before silent workers are given up, in milliseconds. */
const steadyMs = 15_000;
const reclaimEveryMs = 2_000;
const superviseEveryMs = 5_000;
const sweepEveryMs = 60_000;

interface Gone {
  readonly worker: number;
  readonly job_id: string;
  readonly job_attempt: number;
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
  /** Workers whose presence is missing, and since when. */
  let missing = new Map<number, number>();
  let steadySince = now();
  let reclaimedAt = now();
  let supervisedAt = now();
  let sweptAt = Number.NEGATIVE_INFINITY;
  let sweptTo: SweepPlace;

  /** Lanes whose worker is not connected. A server that has just started has nobody connected yet. */
  const findGone = (): Promise<Gone[]> =>
    rowsOf<Gone>(
      store,
      `select worker, job_id, job_attempt from ${schema}.lanes as lane
       where state = 'fed' and worker is not null
         and pg_postmaster_start_time() < clock_timestamp() - interval '5 seconds'
         and not exists (
           select from pg_locks
           where locktype = 'advisory' and objsubid = 2 and granted
             and database = (select oid from pg_database where datname = current_database())
             and classid = hashtext('${channelOf(schema)}')::oid and objid = lane.worker::oid
         )`,
    );

  async function giveBack(): Promise<boolean> {
    const gone = await findGone();
    missing = new Map(gone.map(({ worker }) => [worker, missing.get(worker) ?? now()]));
    const jobs = gone.flatMap(({ worker, job_id, job_attempt }) =>
      now() - (missing.get(worker) ?? now()) >= goneMs ? [{ id: job_id, retryCount: job_attempt }] : [],
    );
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
      missing.clear();
      steadySince = now();
    },
  };
}
