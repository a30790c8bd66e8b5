import { randomUUID } from 'node:crypto';
import { healthy, type Observation, observe, type Probe, probed, type ServiceHealth } from './health.ts';
import { maxPauseMs } from './settlement.ts';
import { rowsOf, type Sql } from './store.ts';
import { decode, encode, type HeldReason } from './updates.ts';

/** How many updates may leave, over all processes on one database. */
export interface Rate {
  /** Updates per second, at most: they leave some 4% slower, since what leaves evenly arrives unevenly. */
  readonly perSecond: number;
  /**
   * Updates that may leave at once after a quiet time.
   * @default 1
   */
  readonly burst?: number | undefined;
}

/** What limits all processes now. */
export interface Limits {
  /** How long a 429 still pauses everything, in milliseconds. */
  readonly pausedMs: number;
  /** Changes whenever a person lifts a pause. */
  readonly resumed: string;
  readonly health: ServiceHealth;
  /** How long no other process may probe or try, in milliseconds. */
  readonly serviceMs: number;
  /** How long until the rate has a free slot, in milliseconds; negative where it had one earlier. */
  readonly rateMs: number;
}

/** How much wider slots lie apart than the rate says: room for a request that takes longer than others to arrive. */
const slack = 1.04;
/** How late an update may be for its slot, in milliseconds, where there is no burst. */
const lateMs = 25;
/** How far ahead slots are taken, in milliseconds: a claim must not grow old while it waits for its slot. */
const horizonMs = 500;
/** The longest time without a probe, in milliseconds: longer, the clock of the database was set back. */
const maxServiceMs = 60_000;

const msUntil = (column: string): string =>
  `(extract(epoch from ${column})::float8 - extract(epoch from clock_timestamp())::float8) * 1000`;
const interval = (ms: number | string): string => `${ms}::float8 * interval '1 millisecond'`;
const inMs = (parameter: string): string => `clock_timestamp() + ${interval(parameter)}`;

interface LimitRow {
  readonly name: string;
  readonly data: string | null;
  readonly ms: number;
}

/** Reads what limits all processes. */
export async function readLimits(sql: Sql, schema: string): Promise<Limits> {
  const rows = await rowsOf<LimitRow>(
    sql,
    `select name, data, ${msUntil('until')} as ms from ${schema}.limits where name in ('pause', 'rate', 'service')`,
  );
  return toLimits(rows);
}

function toLimits(rows: readonly LimitRow[]): Limits {
  const row = (name: string): LimitRow =>
    rows.find((each) => each.name === name) ?? { name, data: null, ms: Number.NEGATIVE_INFINITY };
  return {
    // A pause that is longer was not stored by this code, or a clock was set back: `beat` shortens it.
    pausedMs: Math.max(0, row('pause').ms),
    resumed: row('pause').data ?? '',
    health: readHealth(row('service').data),
    serviceMs: row('service').ms,
    rateMs: row('rate').ms,
  };
}

function readHealth(data: string | null): ServiceHealth {
  const stored = decode(data) as Partial<ServiceHealth> | undefined;
  // A state that is none would hold everything, and nothing would end it.
  const isKnown = stored?.state === 'service_unavailable' || stored?.state === 'key_refused';
  return { ...healthy, ...stored, ...(!isKnown && { state: 'ok' }) };
}

/** Pauses all processes for so long, unless they pause for longer already. */
export async function pause(sql: Sql, schema: string, ms: number): Promise<void> {
  await sql.query(`update ${schema}.limits set until = greatest(until, ${inMs('$1')}) where name = 'pause'`, [
    Math.min(ms, maxPauseMs),
  ]);
}

/** Ends a pause now, also within the clients of all processes. */
export async function liftPause(sql: Sql, schema: string): Promise<void> {
  await sql.query(
    `update ${schema}.limits set until = '-infinity', data = clock_timestamp()::text where name = 'pause'`,
  );
}

/** What a process says about itself when it shows that it is alive. */
export interface Heartbeat {
  readonly workerId: string;
  /** How long it counts as alive without another, in milliseconds. */
  readonly aliveMs: number;
  /** Whether a notification wakes it. */
  readonly isListening: boolean;
  /** Why it sends nothing, if it does not, and what kind of reason that is. */
  readonly problem: string | undefined;
  readonly reason: HeldReason | undefined;
  /** How long it has had free places that nothing keeps from being used, in milliseconds; 0 where it has none now. */
  readonly freeMs: number;
  /** How long it has been sending the update that it has been sending longest, in milliseconds. */
  readonly sendingMs: number;
}

/** Whether a worker is alive that a notification would wake, in SQL: without one, `enqueue` sends none. */
export const hasListener = (schema: string): string => `exists (
  select from ${schema}.limits where name like 'worker:%' and until > clock_timestamp() and data like '%"isListening":true%'
)`;

/** What a worker stores about itself. */
export type WorkerData = Omit<Heartbeat, 'workerId' | 'aliveMs'>;

/**
 * Shows that a worker is alive, bounds what waits for too long, and makes rows again that were lost. Resolves with how many
 * workers live, and with the limits as they were before: an idle worker needs no second statement.
 */
export async function beat(
  sql: Sql,
  schema: string,
  { workerId, aliveMs, ...data }: Heartbeat,
): Promise<{ readonly workers: number; readonly limits: Limits }> {
  const rows = await rowsOf<LimitRow & { others: number }>(
    sql,
    `with mine as (
       insert into ${schema}.limits (name, until, data) values ('worker:' || $1, ${inMs('$2')}, $3)
       on conflict (name) do update set until = excluded.until, data = excluded.data
     ),
     lost as (
       insert into ${schema}.limits (name) values ('pause'), ('rate'), ('service') on conflict do nothing
     ),
     bound as (
       update ${schema}.limits as l set until = clock_timestamp() + longest
       from (values ('pause', ${interval(maxPauseMs)}), ('service', ${interval(maxServiceMs)})) as given (name, longest)
       where l.name = given.name and l.until > clock_timestamp() + longest + interval '1 second'
     ),
     gone as (
       delete from ${schema}.limits where name in (
         select name from ${schema}.limits where name like 'worker:%' and name <> 'worker:' || $1
           and until < clock_timestamp() - interval '1 minute' for update skip locked
       )
     )
     select name, data, ${msUntil('until')} as ms, (
       select count(*)::int from ${schema}.limits
       where name like 'worker:%' and name <> 'worker:' || $1 and until > clock_timestamp()
     ) as others
     from (values ('pause'), ('rate'), ('service')) as wanted (name) left join ${schema}.limits using (name)`,
    [workerId, aliveMs, encode(data satisfies WorkerData)],
  );
  // A row that was lost has no time.
  const limits = toLimits(rows.filter(({ ms }) => ms !== null));
  return { workers: Number(rows[0]?.others ?? 0) + 1, limits };
}

/** Forgets all workers, and which of them probes, where the caller is alone with the database. */
export async function forgetWorkers(sql: Sql, schema: string): Promise<void> {
  await sql.query(`delete from ${schema}.limits where name like 'worker:%'`);
  await changeHealth(sql, schema, ({ owner, ...health }) => ({
    health,
    waitMs: owner === undefined ? undefined : 0,
  }));
}

/** Takes a worker out of the count. */
export async function forgetWorker(sql: Sql, schema: string, workerId: string): Promise<void> {
  await sql.query(`delete from ${schema}.limits where name = 'worker:' || $1`, [workerId]);
}

/**
 * How many updates may be marked now, by pause, breaker and rate, and in how many milliseconds the next may. While the breaker
 * is open, that is the one of a trial, by the worker that may try.
 */
export function freePlaces(
  { pausedMs, health, rateMs }: Limits,
  rate: Rate | undefined,
  mayTry: boolean,
): { readonly count: number; readonly inMs: number } {
  if (pausedMs > 0) return { count: 0, inMs: pausedMs };
  if (health.state !== 'ok' && !mayTry) return { count: 0, inMs: Number.POSITIVE_INFINITY };
  const most = health.state === 'ok' ? Number.POSITIVE_INFINITY : 1;
  if (!rate) return { count: most, inMs: 0 };
  const { intervalMs, leewayMs } = spacing(rate);
  const firstMs = Math.max(-leewayMs, rateMs);
  const count = Math.max(0, Math.floor((horizonMs - firstMs) / intervalMs) + 1);
  return { count: Math.min(most, count), inMs: Math.max(0, firstMs - horizonMs) };
}

/** Slots that were taken: how long each update waits, and how long until the rate has another, in milliseconds. */
export interface Slots {
  readonly waitsMs: readonly number[];
  readonly rateMs: number | undefined;
}

/** Takes slots by the generic cell rate algorithm. */
export async function takeSlots(sql: Sql, schema: string, rate: Rate, count: number): Promise<Slots> {
  if (count === 0) return { waitsMs: [], rateMs: undefined };
  const { intervalMs, leewayMs } = spacing(rate);
  const [row] = await rowsOf<{ ms: number }>(
    sql,
    `update ${schema}.limits set until = greatest(until, ${inMs('$1')}) + $2::float8 * interval '1 millisecond'
     where name = 'rate' returning ${msUntil('until')} as ms`,
    [-leewayMs, intervalMs * count],
  );
  const rateMs = Number(row?.ms ?? 0);
  const firstMs = rateMs - intervalMs * count;
  // Rounded, since the database adds times as floats.
  const waitsMs = Array.from({ length: count }, (_, index) =>
    Math.max(0, Math.round((firstMs + index * intervalMs) * 10) / 10),
  );
  return { waitsMs, rateMs };
}

/** Frees slots that lie further ahead than any worker takes them: the clock of the database was set back. */
export async function boundRate(sql: Sql, schema: string, rate: Rate): Promise<void> {
  await sql.query(
    `update ${schema}.limits set until = clock_timestamp() where name = 'rate' and until > ${inMs('$1')}`,
    [60_000 + spacing(rate).intervalMs * 1_000],
  );
}

/** How late an update may be for its slot before it takes another, in milliseconds: a burst leaves together all the same. */
export function allowedLateMs(rate: Rate): number {
  const { intervalMs, leewayMs } = spacing(rate);
  return Math.max(lateMs, Math.min(intervalMs, leewayMs));
}

function spacing({ perSecond, burst = 1 }: Rate) {
  const intervalMs = (slack * 1_000) / perSecond;
  return { intervalMs, leewayMs: intervalMs * (burst - 1) };
}

/** Takes outcomes into account that the breaker looks at. Resolves with the updates to queue again. */
export async function observeOutcomes(
  sql: Sql,
  schema: string,
  seen: readonly Observation[],
): Promise<{ readonly health: ServiceHealth; readonly queueAgain: ReadonlySet<string> }> {
  const queueAgain = new Set<string>();
  const health = await changeHealth(sql, schema, (current) => {
    let next = { health: current, waitMs: undefined as number | undefined };
    for (const each of seen) {
      const observed = observe(next.health, each, Date.now());
      for (const id of observed.queueAgain) queueAgain.add(id);
      next = { health: observed.health, waitMs: observed.waitMs ?? next.waitMs };
    }
    // What this transaction stores, it queues again itself, so nothing of that is left for later.
    for (const { id, signal } of seen)
      if (signal === 'refused' && next.health.requeue.includes(id)) queueAgain.add(id);
    const stored = new Set(seen.map(({ id }) => id));
    const requeue = next.health.requeue.filter((id) => !stored.has(id));
    return { health: { ...next.health, requeue }, waitMs: next.waitMs };
  });
  return { health, queueAgain };
}

/** Becomes the only process that probes or tries, for so long, in milliseconds. Resolves with whether it is to probe: not while another does, or a trial is allowed. */
export async function leaseProbe(
  sql: Sql,
  schema: string,
  { owner, ms }: { readonly owner: string; readonly ms: number },
): Promise<boolean> {
  let isToProbe = false;
  await changeHealth(sql, schema, (health, untilMs) => {
    const isMine = health.state !== 'ok' && (untilMs <= 0 || health.owner === owner);
    if (!isMine) return { health };
    const trial = health.owner === owner ? health.trial : undefined;
    isToProbe = trial === undefined;
    return { health: { ...health, owner, trial }, waitMs: ms };
  });
  return isToProbe;
}

/** Takes the echo of a probe into account, unless another process probes by now. */
export function storeProbe(sql: Sql, schema: string, owner: string, probe: Probe): Promise<ServiceHealth> {
  return changeHealth(sql, schema, (health) => probed(health, probe, { owner, trial: randomUUID() }));
}

/** Whether an update is still to be queued again; until the transaction ends, that stays so. */
export async function isToRequeue(sql: Sql, schema: string, id: string): Promise<boolean> {
  const { requeue } = await changeHealth(sql, schema, (health) => ({ health }));
  return requeue.includes(id);
}

/** Notes that an update was queued again. */
export async function clearRequeue(sql: Sql, schema: string, id: string): Promise<void> {
  await changeHealth(sql, schema, (health) => ({
    health: { ...health, requeue: health.requeue.filter((each) => each !== id) },
  }));
}

/** Changes the breaker under the lock of its row, in the transaction of `sql`. */
async function changeHealth(
  sql: Sql,
  schema: string,
  change: (
    health: ServiceHealth,
    untilMs: number,
  ) => { readonly health: ServiceHealth; readonly waitMs?: number | undefined },
): Promise<ServiceHealth> {
  const [row] = await rowsOf<LimitRow>(
    sql,
    `select data, ${msUntil('until')} as ms from ${schema}.limits where name = 'service' for update`,
  );
  const before = readHealth(row?.data ?? null);
  const { health, waitMs } = change(before, row?.ms ?? 0);
  const until = waitMs === undefined ? 'until' : inMs('$2');
  const values = waitMs === undefined ? [encode(health)] : [encode(health), waitMs];
  await sql.query(`update ${schema}.limits set data = $1, until = ${until} where name = 'service'`, values);
  return health;
}
