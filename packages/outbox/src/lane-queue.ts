import type { PgBoss } from 'pg-boss';
import { pickLanes } from './feed.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import type { Sql } from './store/sql.ts';

/**
 * A place at work: one job of pg-boss, as one worker has taken it. A lane that is worked on names the job; when the job
 * is done with one lane it may go on with another. What the worker says of it is fenced by the attempt.
 */
export interface Place {
  readonly job: string;
  readonly attempt: number;
  /** When it was taken, by the clock of `performance.now()`. */
  readonly since: number;
}

/** Names one attempt of a job. */
export function attemptKey({ job, attempt }: Pick<Place, 'job' | 'attempt'>): string {
  return `${job}:${attempt}`;
}

/** The queue of lanes that are about to be worked on, and the places of those that are. */
export interface LaneQueue {
  /** Makes jobs for lanes that wait, no more than `most`. */
  feed(most: number): Promise<Fed>;
  take(most: number): Promise<readonly Place[]>;
  /** Says that jobs are still worked on. */
  touch(places: readonly Place[]): Promise<void>;
  /** Ends jobs that no lane names. */
  end(places: readonly Place[]): Promise<void>;
}

/** What feeding made. */
interface Fed {
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
}): LaneQueue {
  const { boss, store, schema, concurrency } = parts;
  return {
    feed: (most) =>
      store.transaction(async (tx) => {
        const { jobs, nextMs } = await pickLanes(tx, schema, { concurrency, most });
        if (jobs.length > 0) {
          const made = jobs.map((id) => ({ id, data: {} }));
          await boss.insert(queueName, made, { db: asDb(tx), returnId: false });
        }
        return { jobs: jobs.length, nextMs };
      }),
    async take(most) {
      const jobs = await boss.fetch<object>(queueName, { batchSize: most });
      return jobs.map(({ id, retryCount }) => ({ job: id, attempt: retryCount, since: performance.now() }));
    },
    touch: async (places) => {
      await boss.touch(queueName, places.map(attemptOf));
    },
    end: async (places) => {
      await boss.deleteJob(queueName, places.map(attemptOf));
    },
  };
}

function attemptOf({ job, attempt }: Place): { id: string; retryCount: number } {
  return { id: job, retryCount: attempt };
}

function asDb(tx: Sql): { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> } {
  return { executeSql: (text, values) => tx.query(text, values) };
}
