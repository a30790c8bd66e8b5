import { attemptKey, type Place } from './lane-queue.ts';
import type { OutboxStore } from './store/outbox-store.ts';
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
  /** Whether it was marked for this attempt of the job, so that its bytes may leave. */
  readonly isMarked: boolean;
  /** How often in a row nothing could be sent in this lane. */
  readonly failures: number;
}

/** A lane to work on, and the place to do it in. A lane without a head has nothing to do. */
export interface Assignment {
  readonly place: Place;
  readonly token: string;
  readonly head: Head | undefined;
  /** How many updates of the lane the place has worked on in a row, this one among them. */
  readonly inARow: number;
}

/** A row of what the function `claim` of the database tells. */
export type ClaimedRow = Omit<Head, 'id'> & {
  readonly job: string;
  readonly attempt: number;
  readonly id: string | null;
};

/** Who claims, and whether the heads are marked as being sent at once. */
export interface Claimer {
  readonly presence: number;
  readonly shouldMark: boolean;
}

/** Finds the lanes and heads of jobs that were taken, and notes who took them. */
export async function claimHeads(
  store: OutboxStore,
  schema: string,
  { places, presence, shouldMark }: Claimer & { readonly places: readonly Place[] },
): Promise<readonly Assignment[]> {
  const { rows } = await store.run(`select ${schema}.claim($1, $2, $3, $4) as told`, [
    places.map(({ job }) => job),
    places.map(({ attempt }) => attempt),
    presence,
    shouldMark,
  ]);
  const [row] = rows as { told: readonly ClaimedRow[] }[];
  return assign(
    row?.told ?? [],
    places.map((place) => ({ place })),
  );
}

/** A place, and what it has worked on before. */
type Before = Pick<Assignment, 'place'> & Partial<Pick<Assignment, 'token' | 'inARow'>>;

/** Brings what the database tells together with the places it is about. */
export function assign(rows: readonly ClaimedRow[], befores: readonly Before[]): readonly Assignment[] {
  const byAttempt = new Map(befores.map((before) => [attemptKey(before.place), before]));
  return rows.flatMap(({ id, job, attempt, ...rest }) => {
    const before = byAttempt.get(attemptKey({ job, attempt }));
    if (!before) return [];
    const { token } = rest;
    const inARow = before.token === token ? (before.inARow ?? 0) + 1 : 1;
    return [{ place: before.place, token, inARow, head: id === null ? undefined : { id, ...rest } }];
  });
}

/** A mark to set: this update, found as the head of its lane, by this claim. */
export interface Mark {
  readonly head: Pick<Head, 'id' | 'passed'>;
  readonly claim: string;
}

/**
 * Stores that bytes may leave, where that was not done with the claim. Gives the ids that were marked; not among them
 * are updates that are no longer queued or no longer the head, that somebody is changing, and any while the service asks
 * for a pause.
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
