import type { Job } from 'pg-boss';
import { type LaneJob, queueName } from './lane-queue.ts';
import { rowsOf, type Sql } from './store/sql.ts';

/** What a transaction may change of the lanes and jobs it asked for. */
export interface LockedWork {
  /** Tokens of lanes that are locked now; the others are locked by somebody else. */
  readonly free: ReadonlySet<string>;
  /** Jobs, by `attemptKey`, that were not given to another worker meanwhile. */
  readonly owned: ReadonlySet<string>;
}

/** Names one attempt of a job. */
export function attemptKey({ id, retryCount }: Job<LaneJob>): string {
  return `${id}:${retryCount}`;
}

/**
 * Locks the lanes of jobs, and the jobs, until the transaction ends. A lane that somebody adds to in a transaction under
 * way is passed over: waiting for it could deadlock.
 */
export async function lockWork(tx: Sql, schema: string, jobs: readonly Job<LaneJob>[]): Promise<LockedWork> {
  const rows = await rowsOf<{ token: string | null; attempt: string | null }>(
    tx,
    `with free as (
       select token from ${schema}.lanes where token = any($1::text[]) for update skip locked
     ),
     owned as (
       select job.id, job.retry_count from ${schema}_queue.job as job
       join unnest($2::uuid[], $3::integer[]) as given (id, attempt)
         on job.id = given.id and job.retry_count = given.attempt
       where job.name = '${queueName}' and job.state = 'active'
       for update of job
     )
     select token, null as attempt from free
     union all select null, id || ':' || retry_count from owned`,
    [jobs.map(({ data }) => data.token), jobs.map(({ id }) => id), jobs.map(({ retryCount }) => retryCount)],
  );
  return {
    free: new Set(rows.flatMap(({ token }) => token ?? [])),
    owned: new Set(rows.flatMap(({ attempt }) => attempt ?? [])),
  };
}

/** How a lane goes on. */
export interface LaneStep {
  readonly token: string;
  /** The update that it stands still for; undefined when it goes on. */
  readonly heldBy: string | undefined;
  readonly delayMs: number;
  readonly failures: number;
}

const hasOpen = (schema: string, token: string): string =>
  `exists (select from ${schema}.updates as u where u.token = ${token} and u.state in ('queued', 'sending'))`;

/**
 * Lets lanes go on that were worked on. They must have been locked by an earlier statement of the transaction, so that
 * every update that was added to them is seen.
 */
export async function stepLanes(tx: Sql, schema: string, steps: readonly LaneStep[]): Promise<void> {
  if (steps.length === 0) return;
  await tx.query(
    `update ${schema}.lanes as lane set
       state = case
         when step.held_by is not null then 'held'
         when ${hasOpen(schema, 'lane.token')} then 'waiting'
         else 'idle' end,
       held_by = step.held_by,
       ready_at = clock_timestamp() + step.delay_ms * interval '1 millisecond',
       failures = step.failures,
       worker = null
     from unnest($1::text[], $2::uuid[], $3::float8[], $4::integer[]) as step (token, held_by, delay_ms, failures)
     where lane.token = step.token`,
    [
      steps.map(({ token }) => token),
      steps.map(({ heldBy }) => heldBy ?? null),
      steps.map(({ delayMs }) => delayMs),
      steps.map(({ failures }) => failures),
    ],
  );
}

/**
 * Lets lanes go on that stood still for an update, or whose updates were changed by hand; a lane that is being worked
 * on, or stands still for another update, is left as it is. They must have been locked as for `stepLanes`.
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
         when ${hasOpen(schema, 'lane.token')} then 'waiting'
         else 'idle' end,
       ready_at = case when lane.state in ('held', 'idle') then clock_timestamp() else lane.ready_at end,
       held_by = nullif(lane.held_by, freed.id)
     from unnest($1::text[], $2::uuid[]) as freed (token, id)
     where lane.token = freed.token`,
    [freed.map(({ token }) => token), freed.map(({ id }) => id)],
  );
}
