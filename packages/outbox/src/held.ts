import { type Limits, readLimits, type WorkerData } from './limits.ts';
import { rowsOf, type Sql } from './store.ts';
import { decode, type HeldBy, type HeldReason, type UpdateStatus } from './updates.ts';

/** The updates that one reason holds. */
export interface HeldUpdates extends HeldBy {
  /** The update that waits for a person or is before the others, where there is one; else the oldest that is held. */
  readonly id: string;
  /** How many orders it holds. */
  readonly orders: number;
  /** How many updates it holds. */
  readonly updates: number;
}

/** A worker that is alive, as it describes itself. */
interface LiveWorker extends Partial<WorkerData> {
  readonly id: string;
}

/** What holds up all orders, or none. */
export interface World {
  readonly limits: Limits;
  readonly workers: readonly LiveWorker[];
  readonly known: Known;
}

/** What a process knows besides what is in the database. */
export interface Known {
  /** How long an update may be due and unmoved beside free places before it counts as stalled, in milliseconds. */
  readonly stallMs: number;
  /** Why the worker of this process cannot use the database. */
  readonly failure: () => string | undefined;
}

/** The `stallMs` of a process that is given no other, in milliseconds. */
export const usualStallMs = 30_000;
/** How much longer an update may be in flight than its worker said at its last sign of life, in milliseconds. */
const signMs = 10_000;

/** Reads what holds up all orders. */
export async function readWorld(sql: Sql, schema: string, known: Known): Promise<World> {
  const [limits, rows] = await Promise.all([
    readLimits(sql, schema),
    rowsOf<{ id: string; data: string | null }>(
      sql,
      `select substr(name, 8) as id, data from ${schema}.limits
       where name like 'worker:%' and until > clock_timestamp() order by name`,
    ),
  ]);
  const workers = rows.map(({ id, data }) => ({ ...(decode(data) as Partial<WorkerData> | undefined), id }));
  return { limits, workers, known };
}

/** What is known of the first open update of an order. */
interface Head {
  readonly head_id: string;
  readonly head_state: string;
  /** Why it is delayed; null where it is due. */
  readonly hold: string | null;
  readonly due_ms: number | null;
  /** Whether it has been due, or in flight, for longer than a working outbox takes. */
  readonly is_old: boolean;
}

/** The facts of `Head`; a statement with them has the parameters of `limitsOf` as `$1` and `$2`. */
const headFacts = `head.id::text as head_id, head.state as head_state,
  case when head.due_at > clock_timestamp() then coalesce(head.held_by, 'backing_off') end as hold,
  case when head.due_at > clock_timestamp() then
    (extract(epoch from head.due_at)::float8 - extract(epoch from clock_timestamp())::float8) * 1000 end as due_ms`;

/** Since when the first open update of an order is due: since the one before it was settled, at the earliest. */
const dueSince = (schema: string): string => `greatest(head.created_at, head.due_at, head.decided_at, (
    select before.settled_at from ${schema}.updates as before
    where before.token = head.token and before.position < head.position order by before.position desc limit 1
  ))`;
const isOld = (schema: string): string => `case
    when head.state = 'sending' then head.sending_at < clock_timestamp() - $2::float8 * interval '1 millisecond'
    when $1::float8 is null then false
    when head.created_at between clock_timestamp() - $1::float8 * interval '1 millisecond' and clock_timestamp() then false
    else ${dueSince(schema)} not between clock_timestamp() - $1::float8 * interval '1 millisecond'
      and clock_timestamp() + interval '1 minute'
  end`;

/** From when on an update is old: queued where a worker has free places, else never; and in flight. */
function agesOf({ workers, known: { stallMs } }: World): readonly [number | null, number] {
  const isWatched = workers.some(({ freeMs = 0 }) => freeMs >= stallMs);
  const sendingMs = Math.max(0, ...workers.map(({ sendingMs = 0 }) => sendingMs));
  return [isWatched ? stallMs : null, Math.max(stallMs, sendingMs + signMs)];
}

/** What holds each of these updates that are open. */
export async function readHolds(
  sql: Sql,
  schema: string,
  { updates, known }: { readonly updates: readonly UpdateStatus[]; readonly known: Known },
): Promise<(update: UpdateStatus) => HeldBy | undefined> {
  const world = await readWorld(sql, schema, known);
  const rows = await rowsOf<Head & { id: string; state: string }>(
    sql,
    `select u.id::text as id, u.state, ${headFacts}, ${isOld(schema)} as is_old
     from ${schema}.updates as u cross join lateral (
       select * from ${schema}.updates where token = u.token and open order by position limit 1
     ) as head where u.id = any($3::text[]::uuid[])`,
    [...agesOf(world), updates.map(({ id }) => id)],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return ({ id, state }) => {
    const row = found.get(id);
    // One that went on since it was read: what is found now says nothing of the state that was read.
    return row && row.state === state ? explain(row, world, row.head_id === id) : undefined;
  };
}

/** What holds updates that are open, oldest first, grouped by the reason. */
export async function readHeld(sql: Sql, schema: string, world: World): Promise<readonly HeldUpdates[]> {
  const rows = await rowsOf<
    Omit<Head, 'head_id'> & { head_id: string; is_head: boolean; id: string; orders: number; updates: number }
  >(
    sql,
    `with head as (
       select *, ${isOld(schema)} as is_old from (
         select distinct on (token) * from ${schema}.updates where open order by token, position
       ) as head
     ),
     held as (
       select u.id, u.token, u.created_at, u.accepted_position, u.id = head.id as is_head, head.is_old, ${headFacts}
       from ${schema}.updates as u join head using (token)
       where u.open and (u.state in ('queued', 'sending') or u.id = head.id)
     )
     select head_state, hold, min(due_ms)::float8 as due_ms, is_old, is_head,
       (array_agg(id::text order by created_at, accepted_position))[1] as id,
       (array_agg(head_id order by created_at, accepted_position))[1] as head_id,
       count(distinct token)::float8 as orders, count(*)::float8 as updates
     from held group by head_state, hold, is_old, is_head order by min(created_at)`,
    [...agesOf(world)],
  );
  const groups = new Map<HeldReason, HeldUpdates>();
  for (const { id, is_head, orders, updates, ...head } of rows) {
    const held = explain(head, world, is_head);
    if (!held) continue;
    const before = groups.get(held.reason);
    groups.set(held.reason, {
      ...(before ?? { ...held, id: held.id ?? id }),
      // What is held together with the first update of its order is of an order that was counted with that.
      orders: (before?.orders ?? 0) + (is_head || held.reason.startsWith('behind_') ? Number(orders) : 0),
      updates: (before?.updates ?? 0) + Number(updates),
    });
  }
  return [...groups.values()];
}

/** What holds an update: the first of its order, or one behind it. `undefined` where it is being sent or decided about. */
function explain(head: Head, world: World, isHead: boolean): HeldBy | undefined {
  const { head_id: id, head_state: state, hold, due_ms: dueMs, is_old } = head;
  const behind = isHead ? {} : { id };
  const until = dueMs === null ? {} : { until: new Date(Date.now() + dueMs) };
  if (state === 'needs_review' || state === 'rejected') {
    if (isHead) return undefined;
    return { reason: 'behind_review', id, message: `It waits for a decision about the update ${id}.` };
  }
  if (state !== 'queued' && state !== 'sending') {
    const message = `The row of the update ${id} was changed by hand and cannot be read: decide about it.`;
    return { reason: 'unreadable', id, message };
  }
  if (state === 'sending' && !is_old) {
    if (isHead) return undefined;
    return {
      reason: 'behind_earlier',
      id,
      message: `It waits for the update ${id} of its order, which is being sent.`,
    };
  }
  const ofAll = explainAll(world);
  if (ofAll) return { ...behind, ...ofAll };
  if (hold !== null) {
    const reason = hold === 'locked_by_caller' || hold === 'claim_expired' ? hold : 'backing_off';
    return { reason, ...behind, ...until, message: messages[reason] };
  }
  if (is_old) {
    const message =
      'It has long been due, a worker has free places, and nothing else is known to hold it: see the warnings of the workers.';
    return { reason: 'stalled', ...behind, message };
  }
  if (!isHead) {
    return { reason: 'behind_earlier', id, message: `It waits for the update ${id} of its order.` };
  }
  const { rateMs } = world.limits;
  if (rateMs > 0)
    return {
      reason: 'rate_limited',
      until: new Date(Date.now() + rateMs),
      message: 'The rate that all workers share lets it leave later.',
    };
  return { reason: 'backlog', message: 'It waits for its turn: workers take orders as they get free.' };
}

/** What holds all orders. */
function explainAll({ limits, workers, known }: World): HeldBy | undefined {
  const { health, pausedMs, serviceMs } = limits;
  const failure = known.failure();
  if (failure !== undefined) return { reason: 'database_unusable', message: failure };
  if (workers.length === 0) {
    const message =
      'No worker takes updates: call start() or drain() in a process that has a client, or run "orders outbox start". While a drain() ends, its worker takes none.';
    return { reason: 'no_worker', message };
  }
  if (pausedMs > 0) {
    const until = new Date(Math.min(Date.now() + pausedMs, 8.64e15));
    const message =
      'The service responded with 429, so nothing is sent before then; resume() ends the pause.';
    return { reason: 'paused', until, message };
  }
  if (health.state !== 'ok') {
    const message = `${serviceProblems[health.state]}: ${health.message ?? 'it is probed.'}`;
    return { reason: health.state, until: new Date(Date.now() + Math.max(0, serviceMs)), message };
  }
  const [first] = workers;
  if (first?.problem === undefined || workers.some(({ problem }) => problem === undefined)) return undefined;
  const { problem, reason = 'service_unavailable' } = first;
  // That holds some updates only, each of which is found to be stalled by itself.
  return reason === 'stalled' ? undefined : { reason, message: problem };
}

/** What the state of the breaker means. */
export const serviceProblems = {
  service_unavailable: 'The order service is unavailable',
  key_refused: 'The order service refuses the key',
} as const;

/** Why an update is delayed. */
const messages = {
  backing_off: 'It could not be sent and is tried again: its code and message say why.',
  locked_by_caller:
    'A transaction of another session holds its order, and it is tried again: pg_stat_activity and pg_locks show who.',
  claim_expired:
    'Its first byte could not leave within 3 s of its claim, and it is tried again: make credentials, hooks, connections or the rateLimit of the client faster.',
};
