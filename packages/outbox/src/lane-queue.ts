import type { Job, PgBoss } from 'pg-boss';
import { channelOf } from './channel.ts';
import { pickLanes } from './feed.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import type { Sql } from './store/sql.ts';

/** A job of pg-boss: there is something to do in the lane of this order. */
export interface LaneJob {
  readonly token: string;
}

/** The queue of lanes that are being worked on, or are about to be. */
export interface LaneQueue {
  /** Makes jobs for lanes that wait. */
  feed(): Promise<Fed>;
  /** Makes jobs for lanes that wait, in a transaction under way. */
  feedIn(tx: Sql): Promise<Fed>;
  take(places: number): Promise<readonly Job<LaneJob>[]>;
  /** Says that jobs are still worked on. */
  touch(jobs: readonly Job<LaneJob>[]): Promise<void>;
  /** Ends jobs, in a transaction under way; a job that was given to another worker meanwhile stays as it is. */
  endIn(tx: Sql, jobs: readonly Job<LaneJob>[]): Promise<void>;
}

/** What feeding made. */
export interface Fed {
  /** Jobs made. */
  readonly jobs: number;
  /** Milliseconds until a lane is ready that waits for its time; undefined when none does. */
  readonly nextMs: number | undefined;
}

/** Name of the queue of pg-boss. */
export const queueName = 'lanes';

/** Binds the queue to a database and to pg-boss. */
export function laneQueue(parts: {
  readonly boss: PgBoss;
  readonly store: OutboxStore;
  readonly schema: string;
  readonly concurrency: number;
  /** Names this process in what it tells the others. */
  readonly presence: number;
}): LaneQueue {
  const { boss, store, schema, concurrency, presence } = parts;

  async function feedIn(tx: Sql): Promise<Fed> {
    const { tokens, nextMs } = await pickLanes(tx, schema, { concurrency });
    if (tokens.length > 0) {
      const jobs = tokens.map((token) => ({ data: { token } }));
      await boss.insert(queueName, jobs, { db: asDb(tx), returnId: false });
      // Other processes may have places free.
      if (!store.exclusive) {
        await tx.query(`select pg_notify('${channelOf(schema)}', $1)`, [`fed ${presence}`]);
      }
    }
    return { jobs: tokens.length, nextMs };
  }

  return {
    feedIn,
    feed: () => store.transaction(feedIn),
    take: (places) => boss.fetch<LaneJob>(queueName, { batchSize: places }),
    touch: async (jobs) => {
      await boss.touch(queueName, jobs.map(attemptOf));
    },
    endIn: async (tx, jobs) => {
      // Nobody reads a job that has ended, and a small table is a fast one.
      if (jobs.length > 0) await boss.deleteJob(queueName, jobs.map(attemptOf), { db: asDb(tx) });
    },
  };
}

/** Fences what is done to a job by the attempt that was taken. */
function attemptOf({ id, retryCount }: Job<LaneJob>): { id: string; retryCount: number } {
  return { id, retryCount };
}

function asDb(tx: Sql): { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> } {
  return { executeSql: (text, values) => tx.query(text, values) };
}
