import { rowsOf, type Sql } from './store/sql.ts';

/** Lanes that are worked on at once, over all processes. */
export interface FeedLimits {
  readonly concurrency: number;
  /** Lanes to pick at most. */
  readonly most: number;
}

/** Lanes to be worked on now. */
export interface Picked {
  /** Ids of the jobs to be made for them. */
  readonly jobs: readonly string[];
  /** Milliseconds until a lane is ready that is not yet; undefined when none waits for its time. */
  readonly nextMs: number | undefined;
}

/** How soon a lane is looked at again that a transaction of somebody else holds, in milliseconds. */
const lookAgainMs = 100;

const msUntil = (moment: string): string =>
  `extract(epoch from ${moment} - clock_timestamp())::float8 * 1000`;

/**
 * Picks the lanes that have waited longest, as many as may be worked on at once besides those that are, and names the
 * jobs that must be made in the same transaction. However many lanes wait, the queue holds no more than `concurrency` jobs, so
 * that fetching one costs the same for ten orders and for a hundred thousand.
 */
export async function pickLanes(tx: Sql, schema: string, { concurrency, most }: FeedLimits): Promise<Picked> {
  // Who feeds locks this row, so that two at once do not feed too many.
  const [feed] = await rowsOf<{ pause_ms: number | null }>(
    tx,
    `select case when paused_until > clock_timestamp() then ${msUntil('paused_until')} end as pause_ms
     from ${schema}.limits where name = 'feed' for update`,
  );
  if (feed?.pause_ms) return { jobs: [], nextMs: feed.pause_ms };
  const rows = await rowsOf<{ job_id: string | null; next_ms: number | null }>(
    tx,
    `with room as (
       select least($2, greatest(0, $1 - count(*)))::integer as places from ${schema}.lanes where state = 'fed'
     ),
     picked as (
       select token from ${schema}.lanes
       where state = 'waiting' and ready_at <= clock_timestamp()
       order by ready_at limit (select places from room) for update skip locked
     ),
     fed as (
       update ${schema}.lanes as lane set state = 'fed', job_id = gen_random_uuid(), job_attempt = null, worker = null
       from picked where lane.token = picked.token returning lane.job_id
     ),
     -- A lane that a transaction holds just now is looked at again soon: nobody tells when that ends.
     passed_over as (
       select from ${schema}.lanes as lane
       where state = 'waiting' and ready_at <= clock_timestamp()
         and (select count(*) from picked) < (select places from room)
         and not exists (select from picked where picked.token = lane.token) limit 1
     ),
     next as (
       select least(${msUntil('min(ready_at)')}, (select ${lookAgainMs}::float8 from passed_over)) as next_ms
       from ${schema}.lanes where state = 'waiting' and ready_at > clock_timestamp()
     )
     select fed.job_id, next.next_ms from next left join fed on true`,
    [concurrency, most],
  );
  return {
    jobs: rows.flatMap(({ job_id }) => job_id ?? []),
    nextMs: rows[0]?.next_ms ?? undefined,
  };
}
