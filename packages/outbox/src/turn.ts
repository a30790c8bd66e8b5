import { randomUUID } from 'node:crypto';
import type { Observation, ServiceHealth } from './health.ts';
import {
  freeSlots,
  type Limits,
  observeOutcomes,
  pause,
  type Rate,
  readLimits,
  takeSlots,
} from './limits.ts';
import type { LaneJob, LaneQueue } from './queue.ts';
import { currentMoment, type Head, type Moment } from './send.ts';
import type { Settlement } from './settlement.ts';
import { type OutboxStore, rowsOf, type Sql } from './store.ts';
import { encode, type UpdateState } from './updates.ts';

/** An order that a worker holds: a job of the queue. Moments are by the clock of `performance.now()`. */
export interface Lane {
  readonly job: LaneJob;
  /** Marks updates as being sent by this lane. An attempt can be fetched twice: where the first fetch was rolled back. */
  readonly claim: string;
  readonly takenAt: number;
  /** What happens next: its next update is looked for, its update is in flight, or it goes back to the queue. */
  phase: 'ready' | 'in_flight' | 'leaving';
  /** When that is due. */
  dueAt: number;
  /** How long it stays in the queue once it goes back, in milliseconds, and whether that is because a caller has locked it. */
  delayMs: number;
  isLockedOut: boolean;
  /** When the job was last known to be held; `undefined` when that is uncertain. */
  confirmedAt: Moment | undefined;
  /** Since when a caller has locked it. */
  lockedSince: number | undefined;
  /** Updates sent since it was taken, and when the last of them began. */
  sent: number;
  sentAt: number;
  /** Whether a turn with it was committed; until then, its fetch may have been rolled back. */
  isCertain: boolean;
  /** Whether another worker may have it by now. */
  isLost: boolean;
}

/** A lane that was taken, by a statement that began then. */
export function createLane(job: LaneJob, begunAt: Moment): Lane {
  const now = performance.now();
  return {
    job,
    claim: `${job.id}:${job.retryCount}:${randomUUID().slice(0, 8)}`,
    takenAt: now,
    phase: 'ready',
    dueAt: now,
    delayMs: 0,
    isLockedOut: false,
    confirmedAt: begunAt,
    lockedSince: undefined,
    sent: 0,
    sentAt: 0,
    isCertain: false,
    isLost: false,
  };
}

/** An update that was worked on, and what becomes of it. */
export interface Outcome {
  readonly lane: Lane;
  readonly head: Head;
  readonly settlement: Settlement;
  /** Whether it was the only update that the breaker let through. */
  readonly isTrial: boolean;
}

/** What a turn is to do. */
export interface TurnPlan {
  /** How many more orders may be sent for at once. */
  readonly places: number;
  /** Whether the queue may hold more. */
  readonly mayFetch: boolean;
  /** Orders whose next update is due. */
  readonly ready: readonly Lane[];
  /** Held orders that must be confirmed. */
  readonly unconfirmed: () => readonly Lane[];
  readonly outcomes: readonly Outcome[];
  /** Orders that go back to the queue. */
  readonly leaving: readonly Lane[];
  /** Orders to queue that this worker does not hold: a late response may have freed them. */
  readonly revive: readonly string[];
  /** Whether this worker may send the one update of a trial. */
  readonly mayTry: (limits: Limits) => boolean;
  /** Called with what was taken, before it is certain to be committed. */
  readonly onFetch: (lanes: readonly Lane[]) => void;
}

/** What a turn did. */
export interface TurnResult {
  readonly limits: Limits;
  /** Whether the queue may hold more than was fetched; `undefined` when nothing was fetched. */
  readonly hasMore: boolean | undefined;
  /** Held orders that another worker may have by now. */
  readonly lost: readonly Lane[];
  /** Orders that this worker does not hold any more. */
  readonly ended: readonly Lane[];
  /** Orders that a transaction of a caller holds. */
  readonly locked: readonly Lane[];
  /** Orders that were queued. */
  readonly revived: readonly string[];
  /** The updates to send. */
  readonly heads: readonly MarkedHead[];
  readonly markedAt: Moment;
  /** When the slots were taken, by the clock of `performance.now()`. */
  readonly slotsAt: number;
  /** Updates that a lost worker was sending. */
  readonly abandoned: readonly { readonly lane: Lane; readonly head: Head }[];
  /** How old the updates are whose outcome was stored, in milliseconds, by their ids. */
  readonly stored: ReadonlyMap<string, number>;
  /** What was stored, which the breaker may have changed. */
  readonly outcomes: readonly Outcome[];
}

/** An update to send. */
interface MarkedHead {
  readonly lane: Lane;
  readonly head: Head;
  /** How long after `slotsAt` it may leave, in milliseconds. */
  readonly slotMs: number;
}

/** What turns work with. */
export interface TurnParts {
  readonly store: OutboxStore;
  readonly schema: string;
  readonly queue: LaneQueue;
  readonly rate: Rate | undefined;
}

/**
 * Without statistics, which PGlite never makes, the planner would read all jobs to fetch a few: 65 ms instead of 3 with
 * 100,000 of them.
 */
const settings = `set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off;
  set local enable_hashjoin = off; set local enable_mergejoin = off; set local jit = off;
  set local lock_timeout = 5000; set local idle_in_transaction_session_timeout = 5000`;

/**
 * One transaction of a worker: stores outcomes, takes orders from the queue, and marks their next updates as being sent.
 * What it resolves with may be sent, since the marks are committed.
 */
export function takeTurn(parts: TurnParts, plan: TurnPlan): Promise<TurnResult> {
  return parts.store.transaction((tx) => runTurn(tx, parts, plan), { worker: true, settings });
}

async function runTurn(tx: Sql, parts: TurnParts, plan: TurnPlan): Promise<TurnResult> {
  const { schema, queue, rate } = parts;
  const begunAt = currentMoment();
  const pauseMs = Math.max(0, ...plan.outcomes.map(({ settlement }) => settlement.pauseMs ?? 0));
  if (pauseMs > 0) await pause(tx, schema, pauseMs);
  const read = await readLimits(tx, schema);
  const { health, outcomes } = await applyBreaker(tx, schema, plan.outcomes, read.health);
  const limits = { ...read, health };
  const stored = await storeOutcomes(tx, schema, outcomes);

  // Now, since the transaction may have waited long for its connection.
  const unconfirmed = plan.unconfirmed();
  const kept = await queue.touch(
    tx,
    unconfirmed.map(({ job }) => job),
  );
  const doubtful = await findDoubtful(tx, schema, unconfirmed);
  const lost = unconfirmed.filter((lane) => !kept.has(lane.job.id) || doubtful.has(lane));
  const confirmed = unconfirmed.filter((lane) => !lost.includes(lane));

  const allowed = countAllowed(plan, limits, rate);
  const held = plan.ready.filter((lane) => !lost.includes(lane));
  // What a caller has locked takes no place: others are taken instead, and it waits where it is free and they are as many.
  const locked = allowed > 0 ? held.filter(({ lockedSince }) => lockedSince !== undefined) : [];
  const others = held.filter((lane) => !locked.includes(lane));
  const goOn = others.slice(0, allowed);
  const wanted = plan.mayFetch ? allowed - goOn.length : 0;
  const fetched = wanted > 0 ? (await queue.fetch(tx, wanted)).map((job) => createLane(job, begunAt)) : [];
  plan.onFetch(fetched);

  const ready = [...goOn, ...fetched, ...locked];
  const free = await lockLanes(tx, schema, [...ready.map(({ job }) => job.token), ...plan.revive]);
  const markedAt = currentMoment();
  const isFree = ready.filter(({ job }) => free.has(job.token));
  const found = await markHeads(tx, schema, isFree.slice(0, allowed));
  const marked = found.filter(({ isMine }) => isMine);
  const idle = found.filter(({ head }) => !head).map(({ lane }) => lane);
  // What may not go on now waits in the queue, where any worker takes it up.
  const stopped = [...others.slice(allowed), ...isFree.slice(allowed)].map((lane) =>
    Object.assign(lane, { phase: 'leaving', delayMs: 0 }),
  );
  const leaving = [...plan.leaving.filter((lane) => !lost.includes(lane)), ...stopped];
  await noteLocked(
    tx,
    schema,
    leaving.filter(({ isLockedOut }) => isLockedOut),
  );
  const ended = [...idle, ...leaving];
  await queue.remove(
    tx,
    ended.map(({ job }) => job),
  );
  const revived = plan.revive.filter((token) => free.has(token));
  await queue.insert(tx, [
    ...leaving.map(({ job: { token }, delayMs }) => ({ token, delayMs })),
    ...revived.map((token) => ({ token })),
  ]);
  // Last, since they are locked until the commit: a turn that waits for a job of another must not hold them.
  const slots = rate ? await takeSlots(tx, schema, rate, marked.length) : [];
  const slotsAt = performance.now();

  for (const lane of confirmed) lane.confirmedAt = begunAt;
  return {
    limits,
    hasMore: wanted > 0 ? fetched.length === wanted : undefined,
    lost,
    ended,
    locked: ready.filter(({ job }) => !free.has(job.token)),
    revived,
    heads: marked.map(({ lane, head }, index) => ({ lane, head: head as Head, slotMs: slots[index] ?? 0 })),
    markedAt,
    slotsAt,
    abandoned: found.flatMap(({ lane, head, isMine }) => (head && !isMine ? [{ lane, head }] : [])),
    stored,
    outcomes,
  };
}

function countAllowed(plan: TurnPlan, limits: Limits, rate: Rate | undefined): number {
  if (limits.pausedMs > 0) return 0;
  const slots = rate ? freeSlots(rate, limits).count : Number.POSITIVE_INFINITY;
  // The share of a worker may shrink below what it has in flight.
  const places = Math.max(0, Math.min(plan.places, slots));
  if (limits.health.state === 'ok') return places;
  return plan.mayTry(limits) ? Math.min(1, places) : 0;
}

async function applyBreaker(
  tx: Sql,
  schema: string,
  outcomes: readonly Outcome[],
  known: ServiceHealth,
): Promise<{ readonly health: ServiceHealth; readonly outcomes: readonly Outcome[] }> {
  const seen = outcomes.map(({ head: { id, token }, settlement, isTrial }): Observation => {
    const { signal, message = '' } = settlement;
    return { id, token, signal, isTrial, message };
  });
  const { health, queueAgain } = await observeOutcomes(tx, schema, seen, known);
  if (queueAgain.size === 0) return { health, outcomes };
  const changed = outcomes.map((outcome) => {
    if (!queueAgain.has(outcome.head.id)) return outcome;
    const settlement = { ...outcome.settlement, state: 'queued', open: true, delayMs: 0 } as const;
    return { ...outcome, settlement };
  });
  return { health, outcomes: changed };
}

/** Stores outcomes by update and claim, without the lock of the order; an update in review still takes a late response. */
async function storeOutcomes(
  tx: Sql,
  schema: string,
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<string, number>> {
  if (outcomes.length === 0) return new Map();
  const rows = outcomes.map(({ head: { id, claim }, settlement }) => {
    const { state, open, delayMs, failures, code, message, status, issues, receipt } = settlement;
    return {
      id,
      claim,
      state,
      open,
      delay_ms: state === 'queued' && delayMs > 0 ? delayMs : null,
      failures,
      code: code?.replace(/[^\w.-]/g, '?').slice(0, 80),
      message: encode(message?.slice(0, 2_000)),
      status: Number.isInteger(status) && Math.abs(status ?? 0) < 1e6 ? status : null,
      issues: encode(issues, 65_536),
      receipt: encode(receipt, 65_536),
    };
  });
  const stored = await rowsOf<{ id: string; age_ms: number }>(
    tx,
    `update ${schema}.updates as u set
       state = given.state, open = given.open, needs_decision = given.state in ('needs_review', 'rejected'),
       body = case when given.state in ('applied', 'discarded') then null else u.body end,
       claim = case when given.state = 'needs_review' then u.claim end,
       settled_at = case when given.state <> 'queued' then clock_timestamp() end,
       held_by = case when given.code = 'claim_expired' then given.code end, due_at = clock_timestamp() + given.delay_ms * interval '1 millisecond',
       failures = given.failures, code = given.code, message = given.message, status = given.status,
       issues = given.issues, receipt = given.receipt, changed = pg_current_xact_id()
     from json_to_recordset($1::text::json) as given (
       id uuid, claim text, state text, open boolean, delay_ms float8, failures integer,
       code text, message text, status integer, issues text, receipt text
     )
     where u.id = given.id and u.claim is not distinct from given.claim
       and (u.state = 'sending' or u.state = 'needs_review' and given.state <> 'needs_review')
     returning u.id, (extract(epoch from clock_timestamp())::float8 - extract(epoch from u.created_at)::float8) * 1000 as age_ms`,
    [JSON.stringify(rows)],
  );
  return new Map(stored.map(({ id, age_ms }) => [id, Number(age_ms)]));
}

/**
 * Of lanes that failed turns fetched, those that may be another worker's: a lane is ours for certain where its own mark was
 * stored. A job that was fetched all the same is given back by its heartbeat.
 */
async function findDoubtful(tx: Sql, schema: string, lanes: readonly Lane[]): Promise<ReadonlySet<Lane>> {
  const uncertain = lanes.filter(({ isCertain }) => !isCertain);
  if (uncertain.length === 0) return new Set();
  const marked = await rowsOf<{ claim: string }>(
    tx,
    `select claim from ${schema}.updates where open and token = any($1::text[]) and claim = any($2::text[])`,
    [uncertain.map(({ job }) => job.token), uncertain.map(({ claim }) => claim)],
  );
  const claims = new Set(marked.map(({ claim }) => claim));
  return new Set(uncertain.filter(({ claim }) => !claims.has(claim)));
}

/** Locks orders, passing over those that somebody else has locked. A lane that is gone counts as free. */
async function lockLanes(tx: Sql, schema: string, tokens: readonly string[]): Promise<ReadonlySet<string>> {
  if (tokens.length === 0) return new Set();
  const locked = await rowsOf<{ token: string }>(
    tx,
    `select token from ${schema}.lanes where token = any($1::text[]) for update skip locked`,
    [tokens],
  );
  const free = new Set(locked.map(({ token }) => token));
  const others = tokens.filter((token) => !free.has(token));
  if (others.length === 0) return free;
  const known = await rowsOf<{ token: string }>(
    tx,
    `select token from ${schema}.lanes where token = any($1::text[])`,
    [others],
  );
  const held = new Set(known.map(({ token }) => token));
  return new Set(tokens.filter((token) => !held.has(token)));
}

/** Notes of updates whose order a caller has locked why they wait, and until when; a row that is locked, too, is left. */
async function noteLocked(tx: Sql, schema: string, lanes: readonly Lane[]): Promise<void> {
  if (lanes.length === 0) return;
  await tx.query(
    `with head as (
       select u.id, given.ms from unnest($1::text[], $2::float8[]) as given (token, ms) cross join lateral (
         select id from ${schema}.updates where token = given.token and open order by position limit 1
       ) as u
     ),
     free as (
       select u.id, head.ms from ${schema}.updates as u join head on head.id = u.id
       where u.state = 'queued' for update of u skip locked
     )
     update ${schema}.updates as u set held_by = 'locked_by_caller',
       due_at = clock_timestamp() + free.ms * interval '1 millisecond'
     from free where u.id = free.id`,
    [lanes.map(({ job }) => job.token), lanes.map(({ delayMs }) => delayMs)],
  );
}

interface HeadRow {
  readonly place: number;
  readonly id: string | null;
  readonly token: string;
  readonly claim: string | null;
  readonly state: UpdateState | null;
  readonly attempts: number;
  readonly failures: number;
  readonly body: string | null;
  readonly traceparent: string | null;
}

interface FoundHead {
  readonly lane: Lane;
  /** Absent where nothing is to be sent. */
  readonly head?: Head;
  /** Whether it is marked by this lane's claim. */
  readonly isMine: boolean;
}

/**
 * Marks the first open update of each lane. It must be a statement of its own after the lock: a snapshot from before
 * would miss an update that was committed while the lock was waited for.
 */
async function markHeads(tx: Sql, schema: string, lanes: readonly Lane[]): Promise<FoundHead[]> {
  if (lanes.length === 0) return [];
  const rows = await rowsOf<HeadRow>(
    tx,
    `with head as materialized (
       select given.place, given.token as lane_token, given.claim as own_claim, u.*
       from unnest($1::text[], $2::text[]) with ordinality as given (token, claim, place)
       left join lateral (
         select id, claim, state, attempts, failures, body, traceparent from ${schema}.updates
         where token = given.token and open order by position limit 1
       ) as u on true
     ),
     marked as (
       update ${schema}.updates as u set state = 'sending', claim = head.own_claim, sending_at = clock_timestamp(), due_at = null,
         attempts = least(u.attempts, 2147483646) + 1, changed = pg_current_xact_id()
       from head where u.id = head.id and head.state = 'queued' returning u.id, u.claim, u.attempts
     )
     select head.place::int as place, head.id, head.lane_token as token, head.state, coalesce(marked.claim, head.claim) as claim,
       coalesce(marked.attempts, head.attempts) as attempts, head.failures, head.body, head.traceparent
     from head left join marked on marked.id = head.id`,
    [lanes.map(({ job }) => job.token), lanes.map(({ claim }) => claim)],
  );
  return rows.flatMap(({ place, id, state, claim, ...row }): FoundHead[] => {
    const lane = lanes[place - 1];
    if (!lane) return [];
    // What needs review, or is rejected and holds its order, is decided first: that queues the order again.
    const isToSend = state === 'sending' || (state === 'queued' && claim !== null);
    if (id === null || !isToSend) return [{ lane, isMine: false }];
    // A mark of this claim that was not sent: the response to its commit was lost.
    return [{ lane, head: { ...row, id, claim }, isMine: claim === lane.claim }];
  });
}
