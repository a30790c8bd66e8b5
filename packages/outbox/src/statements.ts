import { type Lane, tokensOf } from './lane.ts';
import { type Head, maxClaimAgeMs } from './send.ts';
import type { Settlement } from './settlement.ts';
import { rowsOf, type Sql } from './store.ts';
import { encode, type UpdateState } from './updates.ts';

/** How far a clock may be set back and still say how old a mark is, in milliseconds. */
const maxBackMs = 30_000;

/** An update, and the lane that is to send or settle it. */
export interface LaneHead {
  readonly lane: Lane;
  readonly head: Head;
}

/** An update that was worked on, and what becomes of it. */
export interface SettledHead extends LaneHead {
  readonly settlement: Settlement;
  /** The trial that it was, where the breaker let no other update through. */
  readonly trial: string | undefined;
}

/** Where the claim of an update still holds that was given with its outcome: an update in review still takes a late response. */
const takesOutcome = `u.id = given.id and u.claim is not distinct from given.claim
  and (u.state = 'sending' or u.state = 'needs_review' and given.state <> 'needs_review')`;

/** Those outcomes that are not stored yet: a transaction whose commit was not confirmed is repeated. */
export async function findUnstored(
  tx: Sql,
  schema: string,
  outcomes: readonly SettledHead[],
): Promise<readonly SettledHead[]> {
  const given = outcomes.map(({ head: { id, claim }, settlement: { state } }) => ({ id, claim, state }));
  const rows = await rowsOf<{ id: string }>(
    tx,
    `select u.id from ${schema}.updates as u, json_to_recordset($1::text::json) as given (id uuid, claim text, state text)
     where ${takesOutcome}`,
    [JSON.stringify(given)],
  );
  const ids = new Set(rows.map(({ id }) => id));
  return outcomes.filter(({ head }) => ids.has(head.id));
}

/** Stores outcomes by update and claim, without the lock of the order. */
export async function storeOutcomes(
  tx: Sql,
  schema: string,
  outcomes: readonly SettledHead[],
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
     where ${takesOutcome}
     returning u.id, (extract(epoch from clock_timestamp())::float8 - extract(epoch from u.created_at)::float8) * 1000 as age_ms`,
    [JSON.stringify(rows)],
  );
  return new Map(stored.map(({ id, age_ms }) => [id, Number(age_ms)]));
}

/** Locks orders, passing over those that somebody else has locked. A lane that is gone counts as free. */
export async function lockLanes(
  tx: Sql,
  schema: string,
  tokens: readonly string[],
): Promise<ReadonlySet<string>> {
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
export async function noteLocked(tx: Sql, schema: string, lanes: readonly Lane[]): Promise<void> {
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
    [tokensOf(lanes), lanes.map(({ delayMs }) => delayMs)],
  );
}

/** Queues again what these lanes may have marked by a commit whose response was lost: none of it was sent. */
export async function unmark(tx: Sql, schema: string, lanes: readonly Lane[]): Promise<void> {
  if (lanes.length === 0) return;
  await tx.query(
    `update ${schema}.updates as u set state = 'queued', claim = null, changed = pg_current_xact_id()
     from unnest($1::text[], $2::text[]) as given (token, claim)
     where u.token = given.token and u.open and u.state = 'sending' and u.claim = given.claim`,
    [tokensOf(lanes), lanes.map(({ claim }) => claim)],
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
  /** How long ago it was marked before, in milliseconds. */
  readonly marked_ms: number | null;
}

/**
 * What a lane has next: an update that is `marked` by its claim and is to be sent; one that was marked by a worker which is
 * lost (`abandoned`), or which may still send it (`recent`); or `nothing`, since all is settled or what comes first waits for a person.
 */
type Next =
  | ({ readonly kind: 'marked' } & LaneHead)
  | ({ readonly kind: 'abandoned' } & LaneHead)
  | { readonly kind: 'recent'; readonly lane: Lane; readonly forMs: number }
  | { readonly kind: 'nothing'; readonly lane: Lane };

/**
 * Marks the first open update of each lane. It must be a statement of its own after the lock: a snapshot from before
 * would miss an update that was committed while the lock was waited for. Where other processes may share the database, who
 * marked an update before may live.
 */
export async function markHeads(
  tx: Sql,
  schema: string,
  lanes: readonly Lane[],
  { mayShare }: { readonly mayShare: boolean },
): Promise<readonly Next[]> {
  if (lanes.length === 0) return [];
  const rows = await rowsOf<HeadRow>(
    tx,
    `with head as materialized (
       select given.place, given.token as lane_token, given.claim as own_claim, u.*
       from unnest($1::text[], $2::text[]) with ordinality as given (token, claim, place)
       left join lateral (
         select id, claim, state, attempts, failures, body, traceparent, sending_at from ${schema}.updates
         where token = given.token and open order by position limit 1
       ) as u on true
     ),
     marked as (
       update ${schema}.updates as u set state = 'sending', claim = head.own_claim, sending_at = clock_timestamp(), due_at = null,
         attempts = least(u.attempts, 2147483646) + 1, changed = pg_current_xact_id()
       from head where u.id = head.id and head.state = 'queued' returning u.id, u.claim, u.attempts
     )
     select head.place::int as place, head.id, head.lane_token as token, head.state, coalesce(marked.claim, head.claim) as claim,
       coalesce(marked.attempts, head.attempts) as attempts, head.failures, head.body, head.traceparent,
       (extract(epoch from clock_timestamp())::float8 - extract(epoch from head.sending_at)::float8) * 1000 as marked_ms
     from head left join marked on marked.id = head.id`,
    [tokensOf(lanes), lanes.map(({ claim }) => claim)],
  );
  return rows.flatMap(({ place, id, state, claim, marked_ms, ...row }): Next[] => {
    const lane = lanes[place - 1];
    if (!lane) return [];
    // The state is that before this statement, the claim that after it. What is queued has no claim: with one, it is marked now.
    // What needs review, or is rejected and holds its order, is decided first: that queues the order again.
    const isToSend = state === 'sending' || (state === 'queued' && claim !== null);
    if (id === null || !isToSend) return [{ kind: 'nothing', lane }];
    // Its own mark may be of a turn before: the response to its commit was lost, so nothing was sent.
    const kind = claim === lane.claim ? 'marked' : 'abandoned';
    // Who deletes jobs by hand takes orders from workers that live.
    const ageMs = Number(marked_ms ?? maxClaimAgeMs);
    if (mayShare && kind === 'abandoned' && ageMs > -maxBackMs && ageMs < maxClaimAgeMs)
      return [{ kind: 'recent', lane, forMs: Math.min(maxClaimAgeMs, maxClaimAgeMs - ageMs) }];
    return [{ kind, lane, head: { ...row, id, claim } }];
  });
}
