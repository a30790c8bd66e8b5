import { checkOptions } from '@orders/schema/check-options';
import type { ServiceHealth } from './health.ts';
import { type HeldUpdates, type Known, readHeld, readHolds, readWorld } from './held.ts';
import { checkCount, checkText } from './options.ts';
import { rowsOf, type Sql } from './store.ts';
import {
  type HeldReason,
  isStorable,
  isUpdateId,
  type StatusRow,
  statusColumns,
  toDetails,
  toStatus,
  type UpdateDetails,
  type UpdateState,
  type UpdateStatus,
  updateStates,
} from './updates.ts';

/** Which updates `list` resolves with. */
export interface ListOptions {
  /**
   * Updates in these states.
   * @default ['needs_review', 'rejected'], which wait for a person
   */
  readonly states?: readonly UpdateState[] | undefined;
  /** Updates of this order. */
  readonly token?: string | undefined;
  /**
   * Updates behind this one; all, where the outbox does not know it any more. They are sorted by the time of the call, so a
   * transaction that commits later may add one before it: use `changes` to miss none.
   */
  readonly after?: string | undefined;
  /** How many, at most 100,000. @default 100 */
  readonly limit?: number | undefined;
}

/** The backlog of an outbox, and what holds it up. */
export interface OutboxStatus {
  readonly updates: {
    readonly queued: number;
    readonly sending: number;
    readonly needsReview: number;
    readonly rejected: number;
    /** When the oldest queued update was accepted. */
    readonly oldestQueuedAt?: Date;
    /** When the oldest update was accepted that could be sent now: the first of its order, and not delayed. */
    readonly oldestDueAt?: Date;
  };
  readonly orders: {
    /** Orders whose next update is queued. */
    readonly waiting: number;
    /** Orders with an update in flight. */
    readonly active: number;
    /** Orders that wait for a person. */
    readonly held: number;
  };
  /** What holds the updates that are not being sent, by reason, the oldest first. */
  readonly held: readonly HeldUpdates[];
  /** Until when a 429 pauses everything; `resume()` ends it. */
  readonly pausedUntil?: Date;
  /** The order service, as the workers see it; while it is not `ok`, they only probe. */
  readonly service: {
    readonly state: ServiceHealth['state'];
    readonly since?: Date;
    readonly message?: string;
    /** When it is probed next. */
    readonly nextProbeAt?: Date;
  };
  /** The workers that are alive. */
  readonly workers: readonly {
    readonly id: string;
    /** Why it sends nothing, or not all that is due. */
    readonly problem?: string;
    /** What kind of problem that is. */
    readonly reason?: HeldReason;
  }[];
}

/** Which page of changes is read. */
export interface ChangesOptions {
  /** The cursor of an earlier call; `'now'` begins with what changes from now on. @default the oldest update that is kept */
  readonly after?: string | undefined;
  /** Up to 100,000. @default 100 */
  readonly limit?: number | undefined;
}

/** A page of changes. */
export interface Changes {
  readonly updates: readonly UpdateStatus[];
  /** Where the next page begins: keep it as long as the copy it belongs to. Without updates, it is the one that was passed. */
  readonly cursor: string;
}

/** Where an update is not waiting to be sent. */
const settledStates: readonly UpdateState[] = ['applied', 'rejected', 'needs_review', 'discarded'];

/** What reads an outbox, without a lock and without a transaction. */
export function readings(sql: Sql, schema: string, known: Known) {
  const table = `${schema}.updates`;

  async function get(id: string): Promise<UpdateDetails | undefined> {
    if (!isUpdateId(id)) return undefined;
    const [row] = await rowsOf<StatusRow>(sql, `select ${statusColumns}, body from ${table} where id = $1`, [
      id,
    ]);
    if (!row) return undefined;
    const [held] = await withHolds([toDetails(row)]);
    return held;
  }

  /** Says what holds those that are queued. */
  async function withHolds<Item extends UpdateStatus>(items: readonly Item[]): Promise<readonly Item[]> {
    // A row that a person changed may be in a state that is none.
    const open = items.filter(({ state }) => !settledStates.includes(state));
    if (open.length === 0) return items;
    const holdOf = await readHolds(sql, schema, { updates: open, known });
    return items.map((item) => {
      const heldBy = open.includes(item) ? holdOf(item) : undefined;
      return heldBy ? { ...item, heldBy } : item;
    });
  }

  async function list(options: ListOptions = {}): Promise<readonly UpdateStatus[]> {
    checkOptions('list', options, ['states', 'token', 'after', 'limit']);
    const { states = ['needs_review', 'rejected'], token, after, limit = 100 } = options;
    checkCount('list: limit', limit);
    const unknown = Array.isArray(states) ? states.find((state) => !updateStates.includes(state)) : states;
    if (unknown !== undefined)
      throw new TypeError(`list: write states as some of ${updateStates.join(', ')}.`);
    if (after !== undefined && !isUpdateId(after))
      throw new TypeError('list: write the id of an update as after.');
    if (token !== undefined) checkText('list', 'token', token);
    if (!isStorable(token ?? '')) return [];
    // Partial indexes serve what is watched all the time.
    const index = states.every((state) => state === 'needs_review' || state === 'rejected')
      ? 'needs_decision and'
      : states.every((state) => state === 'queued' || state === 'sending')
        ? 'open and'
        : '';
    const place = 'created_at, token, accepted_position';
    const rows = await rowsOf<StatusRow>(
      sql,
      `select ${statusColumns} from ${table} as u
       where ${index} state = any($1::text[]) and ($2::text is null or token = $2)
         and (not exists (select from ${table} where id = $3::uuid)
           or (${place}) > (select ${place} from ${table} where id = $3::uuid))
       order by u.created_at, u.token, u.accepted_position limit $4`,
      [states, token ?? null, after ?? null, limit],
    );
    return withHolds(rows.map(toStatus));
  }

  async function history(token: string, limit: number): Promise<readonly UpdateStatus[]> {
    if (!isStorable(token)) return [];
    const text = `select ${statusColumns} from ${table} where token = $1 order by position desc limit $2`;
    return withHolds((await rowsOf<StatusRow>(sql, text, [token, limit])).map(toStatus));
  }

  async function counts(): Promise<Readonly<Record<UpdateState, number>>> {
    const rows = await rowsOf<{ state: UpdateState; count: number }>(
      sql,
      `select state, count(*)::float8 as count from ${table} group by state`,
    );
    const none = Object.fromEntries(updateStates.map((state) => [state, 0])) as Record<UpdateState, number>;
    return { ...none, ...Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)])) };
  }

  async function status(): Promise<OutboxStatus> {
    const now = Date.now();
    const world = readWorld(sql, schema, known);
    const [{ limits, workers }, held, [row = {}]] = await Promise.all([
      world,
      world.then((read) => readHeld(sql, schema, read)),
      rowsOf<Record<string, unknown>>(
        sql,
        `select count(*) filter (where state = 'queued')::float8 as queued, count(*) filter (where state = 'sending')::float8 as sending,
           extract(epoch from min(created_at) filter (where state = 'queued'))::float8 as oldest,
           extract(epoch from min(created_at) filter (
             where is_head and state = 'queued' and (due_at is null or due_at <= clock_timestamp())
           ))::float8 as oldest_due,
           count(*) filter (where is_head and state = 'queued')::float8 as waiting,
           count(*) filter (where is_head and state = 'sending')::float8 as active,
           count(*) filter (where is_head and state in ('needs_review', 'rejected'))::float8 as held,
           (select count(*) from ${table} where needs_decision and state = 'needs_review')::float8 as review,
           (select count(*) from ${table} where needs_decision and state = 'rejected')::float8 as rejected
         from (
           select state, created_at, due_at, row_number() over (partition by token order by position) = 1 as is_head
           from ${table} where open
         ) as open`,
      ),
    ]);
    const { health, pausedMs, serviceMs } = limits;
    const dateOf = (seconds: unknown): Date | undefined => {
      const ms = seconds === null ? Number.NaN : Number(seconds) * 1_000;
      return Number.isFinite(ms) ? new Date(ms) : undefined;
    };
    const oldestQueuedAt = dateOf(row['oldest']);
    const oldestDueAt = dateOf(row['oldest_due']);
    return {
      updates: {
        queued: Number(row['queued']),
        sending: Number(row['sending']),
        needsReview: Number(row['review']),
        rejected: Number(row['rejected']),
        ...(oldestQueuedAt && { oldestQueuedAt }),
        ...(oldestDueAt && { oldestDueAt }),
      },
      orders: { waiting: Number(row['waiting']), active: Number(row['active']), held: Number(row['held']) },
      held,
      // A date has an end, and an infinite pause has none.
      ...(pausedMs > 0 && { pausedUntil: new Date(Math.min(now + pausedMs, 8.64e15)) }),
      service: {
        state: health.state,
        ...(health.since !== undefined && { since: new Date(health.since) }),
        ...(health.message !== undefined && { message: health.message }),
        ...(health.state !== 'ok' && { nextProbeAt: new Date(now + Math.max(0, serviceMs)) }),
      },
      workers: workers.map(({ id, problem, reason }) => ({
        id,
        ...(typeof problem === 'string' && { problem, ...(reason && { reason }) }),
      })),
    };
  }

  async function changes(options: ChangesOptions = {}): Promise<Changes> {
    checkOptions('changes', options, ['after', 'limit']);
    const { after, limit = 100 } = options;
    checkCount('changes: limit', limit);
    const start = '0:00000000-0000-0000-0000-000000000000';
    const [xid = '', id = ''] = String(after === 'now' ? start : (after ?? start)).split(':');
    if (!/^\d{1,20}$/.test(xid) || BigInt(xid) >= 2n ** 64n || !isUpdateId(id))
      throw new TypeError("changes: pass the cursor of an earlier call as after, or 'now'.");
    if (after === 'now') {
      const [row] = await rowsOf<{ xmin: string }>(
        sql,
        'select pg_snapshot_xmin(pg_current_snapshot())::text as xmin',
      );
      return { updates: [], cursor: `${row?.xmin ?? 0}:00000000-0000-0000-0000-000000000000` };
    }
    // Below the oldest transaction that is open, no change can appear any more.
    const rows = await rowsOf<StatusRow>(
      sql,
      `select ${statusColumns}, changed::text as changed from ${table}
       where (changed, id) > ($1::text::xid8, $2::uuid) and changed < pg_snapshot_xmin(pg_current_snapshot())
       order by updates.changed, updates.id limit $3`,
      [xid, id, limit],
    );
    const last = rows.at(-1);
    return {
      updates: rows.map(toStatus),
      cursor: last ? `${String(last['changed'])}:${String(last['id'])}` : `${xid}:${id}`,
    };
  }

  return { get, list, history, counts, status, changes };
}
