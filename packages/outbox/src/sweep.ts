import { removeEmptyLanes } from './decide.ts';
import type { LaneQueue } from './queue.ts';
import { type OutboxStore, rowsOf } from './store.ts';

/** Keeps the tables small and complete while a worker runs. */
export interface Sweeper {
  /** Does the next batch of what is due. */
  run(): Promise<{
    /** Whether orders were queued that may have had no job. */
    readonly hasQueued: boolean;
    /** Whether another batch is due. */
    readonly hasMore: boolean;
  }>;
  /** Has the next run look for orders without a job. */
  hurry(): void;
}

/** Rows in one batch, so that each transaction is short. */
const batch = { old: 500, lost: 1_000, foreign: 500 };
/** How often a pass begins, in milliseconds. */
const everyMs = { old: 60_000, lost: 300_000, foreign: 300_000 };
/** How long the search for orders without a job rests after a batch: it looks at all that wait, and finds none mostly. */
const restMs = 1_000;

/**
 * Deletes what is older than it is kept, and queues orders again that have no job though an update of theirs has been
 * open for a minute. After a restore into another cluster it completes `changes()`.
 */
export function createSweeper({
  store,
  schema,
  queue,
  keepSettledMs,
  keepRejectedMs,
}: {
  readonly store: OutboxStore;
  readonly schema: string;
  readonly queue: LaneQueue;
  readonly keepSettledMs: number;
  readonly keepRejectedMs: number;
}): Sweeper {
  const passes = [
    { everyMs: everyMs.lost, restMs, from: undefined as string | undefined, step: queueLost, dueAt: 0 },
    { everyMs: everyMs.old, restMs: 0, from: undefined as string | undefined, step: deleteOld, dueAt: 0 },
    {
      everyMs: everyMs.foreign,
      restMs: 0,
      from: undefined as string | undefined,
      step: takeOverChanges,
      dueAt: 0,
    },
  ];

  /** Resolves with where to go on; `undefined` at the end. */
  async function queueLost(after = ''): Promise<string | undefined> {
    return store.transaction(
      async (tx) => {
        const open = await rowsOf<{ token: string }>(
          tx,
          `select distinct token from ${schema}.updates
           where open and token > $1 and created_at < clock_timestamp() - interval '1 minute' and state in ('queued', 'sending')
           order by token limit ${batch.lost}`,
          [after],
        );
        const tokens = open.map(({ token }) => token);
        const locked = await rowsOf<{ token: string }>(
          tx,
          `select token from ${schema}.lanes where token = any($1::text[]) for update skip locked`,
          [tokens],
        );
        // The queue drops those that have a job; the others would wait forever.
        await queue.insert(tx, locked);
        return tokens.length < batch.lost ? undefined : tokens.at(-1);
      },
      { worker: true },
    );
  }

  async function deleteOld(after = '0:00000000-0000-0000-0000-000000000000'): Promise<string | undefined> {
    const [xid, id] = after.split(':');
    return store.transaction(
      async (tx) => {
        const looked = await rowsOf<{
          id: string;
          xid: string;
          token: string;
          is_old: boolean;
          is_young: boolean;
        }>(
          tx,
          `select id, changed::text as xid, token,
             (state in ('applied', 'discarded') and age > $3 or state = 'rejected' and not open and age > $4) as is_old,
             age <= least($3::float8, $4::float8) as is_young
           from (
             select *, (extract(epoch from clock_timestamp())::float8
               - extract(epoch from greatest(created_at, sending_at, settled_at, decided_at))::float8) * 1000 as age
             from ${schema}.updates where (changed, id) > ($1::text::xid8, $2::uuid) order by changed, id limit ${batch.old}
           ) as looked`,
          [xid, id, Math.min(keepSettledMs, Number.MAX_VALUE), Math.min(keepRejectedMs, Number.MAX_VALUE)],
        );
        const old = looked.filter(({ is_old }) => is_old);
        const tokens = [...new Set(old.map(({ token }) => token))];
        const locked = await rowsOf<{ token: string }>(
          tx,
          `select token from ${schema}.lanes where token = any($1::text[]) for update skip locked`,
          [tokens],
        );
        const free = new Set(locked.map(({ token }) => token));
        const ids = old.filter(({ token }) => free.has(token)).map((row) => row.id);
        // A person may have sent one again before its order was locked.
        await tx.query(`delete from ${schema}.updates where id = any($1::uuid[]) and not open`, [ids]);
        await removeEmptyLanes({ tx, schema, queue }, [...free]);
        const last = looked.at(-1);
        // Rows come in the order of their last change, so what follows a young one is young.
        const isDone = !last || looked.length < batch.old || last.is_young;
        return isDone ? undefined : `${last.xid}:${last.id}`;
      },
      { worker: true },
    );
  }

  /** Brings those into `changes()` that another database cluster has changed, whose transactions lie ahead here. */
  async function takeOverChanges(): Promise<string | undefined> {
    const changed = await rowsOf(
      { query: store.executeSql },
      `update ${schema}.updates set changed = pg_current_xact_id() where id in (
         select id from ${schema}.updates where changed >= pg_snapshot_xmax(pg_current_snapshot())
         order by changed limit ${batch.foreign} for update skip locked
       ) returning id`,
    );
    return changed.length < batch.foreign ? undefined : '';
  }

  return {
    hurry() {
      for (const pass of passes) if (pass.step === queueLost) pass.dueAt = 0;
    },
    async run() {
      const now = performance.now();
      let hasQueued = false;
      for (const pass of passes) {
        if (now < pass.dueAt) continue;
        // One that fails waits, too, and lets the others go on.
        pass.dueAt = now + pass.everyMs;
        pass.from = await pass.step(pass.from);
        if (pass.from !== undefined) pass.dueAt = now + pass.restMs;
        hasQueued ||= pass.step === queueLost;
      }
      return { hasQueued, hasMore: passes.some(({ dueAt }) => dueAt <= now) };
    },
  };
}
