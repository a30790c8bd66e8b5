import { discarded } from './enqueue.ts';
import { OutboxError } from './errors.ts';
import type { LaneQueue } from './queue.ts';
import { lockLanes } from './statements.ts';
import { rowsOf, type Sql } from './store.ts';
import {
  encode,
  isUpdateId,
  type StatusRow,
  statusColumns,
  toStatus,
  type UpdateState,
  type UpdateStatus,
} from './updates.ts';

/** What decisions work with, within one transaction. */
export interface DecisionParts {
  readonly tx: Sql;
  readonly schema: string;
  readonly queue: LaneQueue;
}

/** Who decides about an update, and why. */
export interface Decision {
  /** Who decides. */
  readonly by?: string | undefined;
  /** Why. */
  readonly note?: string | undefined;
}

const decided = 'decided_by = $2, note = $3, decided_at = clock_timestamp()';
const released = 'claim = null, due_at = null, needs_decision = false, changed = pg_current_xact_id()';

/**
 * Sends an update again that needs review or was rejected: in its place, or behind those of its order where a later one
 * may have been applied since, or an earlier one had to go behind for that reason.
 */
export async function retryUpdate(
  parts: DecisionParts,
  id: string,
  decision: Decision,
): Promise<UpdateStatus> {
  const { tx, schema } = parts;
  const token = await lockUpdate(parts, id, { states: ['needs_review', 'rejected'], action: 'sent again' });
  const [behind] = await rowsOf<{ last: string }>(
    tx,
    `update ${schema}.lanes as lane set last = lane.last + 1
     from ${schema}.updates as u
     where lane.token = $2 and u.id = $1 and exists (
       select from ${schema}.updates as later
       where later.token = u.token and later.position > u.position and (
         later.state in ('sending', 'applied', 'needs_review')
         or later.state = 'queued' and later.accepted_position < u.accepted_position
       )
     ) returning lane.last::text as last`,
    [id, token],
  );
  return change(parts, token, {
    set: `state = 'queued', open = true, failures = 0, settled_at = null, position = coalesce($4::bigint, position), ${decided}, ${released}`,
    values: [id, ...valuesOf(decision), behind?.last ?? null],
  });
}

/**
 * Queues an update again, in its place, that was rejected before the key was known to be refused. Resolves with whether
 * that is settled, or must wait: a later one of its order is `in_flight`, or its order is `locked` by a caller. It stays
 * rejected where a later one may have been applied, which it would undo.
 */
export async function requeueUpdate(
  parts: DecisionParts,
  id: string,
): Promise<'settled' | 'in_flight' | 'locked'> {
  const { tx, schema } = parts;
  // Who has locked its order may keep it for long: no worker stands still for that.
  if (isUpdateId(id)) {
    const [row] = await rowsOf<{ token: string }>(tx, `select token from ${schema}.updates where id = $1`, [
      id,
    ]);
    if (row && !(await lockLanes(tx, schema, [row.token])).has(row.token)) return 'locked';
  }
  const token = await lockUpdate(parts, id, { states: ['rejected'], action: 'queued again' });
  // What has been in flight for a minute may be a lost worker's, and is not waited for.
  const later = await rowsOf<{ is_in_flight: boolean }>(
    tx,
    `select later.state = 'sending' and later.sending_at > clock_timestamp() - interval '1 minute' as is_in_flight
     from ${schema}.updates as u join ${schema}.updates as later on later.token = u.token and later.position > u.position
     where u.id = $1 and later.state in ('sending', 'applied', 'needs_review')`,
    [id],
  );
  if (later.length > 0) return later.some(({ is_in_flight }) => is_in_flight) ? 'in_flight' : 'settled';
  await change(parts, token, {
    set: `state = 'queued', open = true, failures = 0, settled_at = null, ${released}`,
    values: [id],
  });
  return 'settled';
}

/** Gives up an update that is queued, needs review or was rejected. */
export async function discardUpdate(
  parts: DecisionParts,
  id: string,
  decision: Decision,
): Promise<UpdateStatus> {
  const states = ['queued', 'needs_review', 'rejected'] as const;
  const token = await lockUpdate(parts, id, { states, action: 'discarded' });
  return change(parts, token, {
    set: `${decided}, ${discarded}, code = 'decided'`,
    values: [id, ...valuesOf(decision)],
  });
}

/**
 * Notes that an update was applied, as a person found out.
 *
 * @throws OutboxError `nothing_to_decide` while earlier ones of its order are to be sent, which would undo it.
 */
export async function resolveUpdate(
  parts: DecisionParts,
  id: string,
  decision: Decision,
): Promise<UpdateStatus> {
  const { tx, schema } = parts;
  const token = await lockUpdate(parts, id, { states: ['needs_review', 'rejected'], action: 'resolved' });
  const earlier = await rowsOf(
    tx,
    `select from ${schema}.updates as u join ${schema}.updates as earlier
       on earlier.token = u.token and earlier.position < u.position
     where u.id = $1 and earlier.open and earlier.state in ('queued', 'sending') limit 1`,
    [id],
  );
  if (earlier.length > 0) {
    const message = `The update ${id} cannot be resolved while earlier ones of its order are to be sent, which would undo it. Discard those that are queued, and wait for one that is being sent; or let all be sent, and then send this one again.`;
    throw new OutboxError('nothing_to_decide', message);
  }
  return change(parts, token, {
    set: `state = 'applied', open = false, body = null, settled_at = clock_timestamp(), ${decided}, ${released}`,
    values: [id, ...valuesOf(decision)],
  });
}

/**
 * Deletes all that is stored of an order, events and their ids too, unless something is being sent. Resolves with the number
 * of updates.
 *
 * @throws OutboxError `nothing_to_decide` while one of its updates is being sent.
 */
export async function purgeOrder(
  { tx, schema, queue }: DecisionParts,
  token: string,
): Promise<{ readonly deleted: number; readonly isEmpty: boolean }> {
  await tx.query(`select from ${schema}.lanes where token = $1 for update`, [token]);
  const gone = await rowsOf(
    tx,
    `delete from ${schema}.updates where token = $1 and not (open and state = 'sending') returning 1`,
    [token],
  );
  await tx.query(`delete from ${schema}.events where token = $1`, [token]);
  // What was being sent may have ended since: without its lane, it would never be looked at again.
  const left = await rowsOf(tx, `select from ${schema}.updates where token = $1 limit 1`, [token]);
  if (left.length === 0) {
    await queue.forget(tx, token);
    await tx.query(`delete from ${schema}.lanes where token = $1`, [token]);
  }
  return { deleted: gone.length, isEmpty: left.length === 0 };
}

/** Deletes lanes, which the caller has locked, that have neither an update nor a job. */
export async function removeEmptyLanes(
  { tx, schema, queue }: DecisionParts,
  tokens: readonly string[],
): Promise<void> {
  const empty = await rowsOf<{ token: string }>(
    tx,
    `select token from unnest($1::text[]) as given (token)
     where not exists (select from ${schema}.updates as u where u.token = given.token)`,
    [tokens],
  );
  const free = await queue.withoutJob(
    tx,
    empty.map(({ token }) => token),
  );
  await tx.query(`delete from ${schema}.lanes where token = any($1::text[])`, [free]);
}

/** Locks the lane of an update and then the update, as everything does that changes the order of a lane. */
async function lockUpdate(
  { tx, schema }: DecisionParts,
  id: string,
  { states, action }: { readonly states: readonly UpdateState[]; readonly action: string },
): Promise<string> {
  const unknown = new OutboxError(
    'unknown_update',
    `There is no update ${id.slice(0, 64)} in this outbox. What was settled is deleted after keepSettledMs or keepRejectedMs.`,
  );
  if (!isUpdateId(id)) throw unknown;
  await tx.query(
    `select from ${schema}.lanes where token = (select token from ${schema}.updates where id = $1) for update`,
    [id],
  );
  const [row] = await rowsOf<{ token: string; state: UpdateState }>(
    tx,
    `select token, state from ${schema}.updates where id = $1 for update`,
    [id],
  );
  if (!row) throw unknown;
  if (states.includes(row.state)) return row.token;
  throw new OutboxError('nothing_to_decide', `The update ${id} is ${row.state}: it cannot be ${action}.`);
}

async function change(
  { tx, schema, queue }: DecisionParts,
  token: string,
  { set, values }: { readonly set: string; readonly values: readonly unknown[] },
): Promise<UpdateStatus> {
  const [row] = await rowsOf<StatusRow>(
    tx,
    `update ${schema}.updates set ${set} where id = $1 returning ${statusColumns}, pg_notify('${queue.channel}', '')`,
    values,
  );
  const [head] = await rowsOf<{ delay_ms: number | null }>(
    tx,
    `select extract(epoch from due_at - clock_timestamp())::float8 * 1000 as delay_ms from ${schema}.updates
     where token = $1 and open order by position limit 1`,
    [token],
  );
  await queue.reschedule(tx, { token, delayMs: Number(head?.delay_ms ?? 0) });
  return toStatus(row ?? {});
}

function valuesOf({ by, note }: Decision): readonly [string | null, string | null] {
  return [encode(by), encode(note)];
}
