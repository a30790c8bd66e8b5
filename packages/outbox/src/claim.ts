import type { Job } from 'pg-boss';
import type { LaneJob } from './lane-queue.ts';
import { rowsOf, type Sql } from './store/sql.ts';

/** The update at the head of a lane, as whoever works on the lane finds it. */
export interface Head {
  readonly id: string;
  readonly token: string;
  readonly body: string;
  readonly state: 'queued' | 'sending';
  readonly attempts: number;
  /** How often an earlier update came back in front of it. */
  readonly passed: number;
  /** Who marked it as being sent. */
  readonly claim: string | null;
  /** How often in a row nothing could be sent in this lane. */
  readonly failures: number;
}

/**
 * Finds the heads of lanes whose jobs were taken, and notes in the lanes who took them, so that they are given to others
 * when this process ends without a word; a lane without a head has nothing to do.
 */
export async function claimHeads(
  sql: Sql,
  schema: string,
  taken: { readonly jobs: readonly Job<LaneJob>[]; readonly presence: number },
): Promise<ReadonlyMap<string, Head>> {
  const { jobs, presence } = taken;
  const heads = await rowsOf<Head>(
    sql,
    `with given as (
       select * from unnest($1::text[], $2::uuid[], $3::integer[]) as given (token, job_id, attempt)
     ),
     free as (
       select lane.token from ${schema}.lanes as lane join given using (token) for update of lane skip locked
     ),
     noted as (
       update ${schema}.lanes as lane set worker = $4, job_id = given.job_id, job_attempt = given.attempt
       from given join free using (token) where lane.token = given.token
     )
     select head.id, head.token, head.body, head.state, head.attempts, head.passed, head.claim, lane.failures
     from given join ${schema}.lanes as lane using (token)
     cross join lateral (
       select * from ${schema}.updates as u
       where u.token = given.token and u.state in ('queued', 'sending') order by u.position limit 1
     ) as head`,
    [
      jobs.map(({ data }) => data.token),
      jobs.map(({ id }) => id),
      jobs.map(({ retryCount }) => retryCount),
      presence,
    ],
  );
  return new Map(heads.map((head) => [head.token, head]));
}

/** A mark to set: this update, found as the head of its lane, by this claim. */
export interface Mark {
  readonly head: Pick<Head, 'id' | 'passed'>;
  readonly claim: string;
}

/**
 * Stores that bytes may leave. Gives the ids that were marked; not among them are updates that are no longer queued or no
 * longer the head, that somebody is changing, and any while the service asks for a pause.
 */
export async function markSending(
  sql: Sql,
  schema: string,
  marks: readonly Mark[],
): Promise<ReadonlySet<string>> {
  const rows = await rowsOf<{ id: string }>(
    sql,
    `with mark as (
       select * from unnest($1::uuid[], $2::integer[], $3::text[]) as mark (id, passed, claim)
     ),
     free as (
       select u.id from ${schema}.updates as u join mark using (id)
       where u.state = 'queued' and u.passed = mark.passed
         and not exists (select from ${schema}.limits where name = 'feed' and paused_until > clock_timestamp())
       for update of u skip locked
     ),
     marked as (
       update ${schema}.updates as u
       set state = 'sending', claim = mark.claim, attempts = u.attempts + 1, sending_at = clock_timestamp()
       from mark join free using (id) where u.id = mark.id
       returning u.id, u.token
     ),
     told as (
       insert into ${schema}.events (update_id, token, kind) select id, token, 'sending' from marked
     )
     select id from marked`,
    [marks.map(({ head }) => head.id), marks.map(({ head }) => head.passed), marks.map(({ claim }) => claim)],
  );
  return new Set(rows.map(({ id }) => id));
}
