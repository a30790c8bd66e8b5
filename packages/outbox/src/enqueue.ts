import { randomUUID } from 'node:crypto';
import type { OrderUpdate } from '@orders/schema';
import { OutboxError, sqlState } from './errors.ts';
import { hasListener } from './limits.ts';
import type { LaneQueue } from './queue.ts';
import { rowsOf, type Sql } from './store.ts';
import { activeTraceparent } from './telemetry.ts';
import { isStorable, isUpdateId, toAscii } from './updates.ts';

/** Options of `enqueue`. */
export interface EnqueueOptions {
  /**
   * A transaction of yours on the same database, READ COMMITTED: the update is accepted when it commits. It locks the
   * order until then, so keep it short, and enqueue for several orders in the order of their tokens, since two such
   * transactions may deadlock otherwise. Within a transaction of the PGlite that holds the outbox, an `enqueue` without
   * it waits forever.
   */
  readonly tx?: Sql | undefined;
  /**
   * A UUID of yours, by which the update is known. A second call with it is refused as long as the update is kept: until
   * `keepSettledMs` or `keepRejectedMs` is over, or `purge`.
   * @default made at random
   */
  readonly id?: string | undefined;
  /**
   * The W3C trace context that caused the update, to which the span of its sending is linked.
   * @default that of the span which is active in OpenTelemetry, if one is
   */
  readonly traceparent?: string | undefined;
}

/** An update for `enqueueAll`, with the options of `enqueue` that are its own. */
export interface EnqueueItem<Update extends OrderUpdate = OrderUpdate>
  extends Pick<EnqueueOptions, 'id' | 'traceparent'> {
  readonly token: string;
  readonly update: Update;
}

/** Options of `enqueueAll`. */
export type EnqueueAllOptions = Pick<EnqueueOptions, 'tx'>;

/** An update that was checked, as it is stored. */
export interface NewUpdate {
  readonly id: string;
  readonly token: string;
  /** JSON in ASCII. */
  readonly body: string;
  /** How long the JSON was in UTF-8. */
  readonly bytes: number;
  readonly traceparent?: string | undefined;
}

/** The longest token that every index holds, in bytes. */
const maxTokenBytes = 2_600;
/** The longest update, and the longest list of updates, in bytes of JSON. */
const maxBytes = { update: 4 * 2 ** 20, list: 64 * 2 ** 20 };

/**
 * Checks what `enqueue` is called with, but for the contents of the update. Resolves with what is stored.
 *
 * @throws TypeError that says what to write instead.
 */
export function toNewUpdate(
  token: string,
  body: string,
  { id = randomUUID(), traceparent = activeTraceparent() }: Pick<EnqueueOptions, 'id' | 'traceparent'>,
): NewUpdate {
  // PGlite drops this sign when it reads a text that begins with it: the update would go to another order.
  if (token.startsWith('\ufeff'))
    throw new TypeError('enqueue: the token begins with a byte order mark (U+FEFF): write it without.');
  if (!isStorable(token))
    throw new TypeError('enqueue: the token has a NUL or half a surrogate pair, which no database stores.');
  if (Buffer.byteLength(token) > maxTokenBytes)
    throw new TypeError(`enqueue: the token has more than the ${maxTokenBytes} bytes that can be stored.`);
  const bytes = Buffer.byteLength(body);
  if (bytes > maxBytes.update)
    throw new TypeError(
      `enqueue: the update has ${bytes.toLocaleString('en')} bytes of JSON: write at most ${maxBytes.update.toLocaleString('en')} (4 MiB).`,
    );
  if (!isUpdateId(id)) throw new TypeError('enqueue: write id as a UUID, as crypto.randomUUID() makes it.');
  if (traceparent !== undefined && !/^[0-9a-f]{2}(-[0-9a-f]{2,64}){1,8}$/.test(traceparent))
    throw new TypeError(
      'enqueue: write traceparent as in the HTTP header, such as 00-<trace id>-<span id>-01.',
    );
  return { id: id.toLowerCase(), token, body: toAscii(body), bytes, traceparent };
}

/** Checks how many bytes a list of updates has. @throws TypeError */
export function checkListSize(updates: readonly NewUpdate[]): void {
  const bytes = updates.reduce((sum, update) => sum + update.bytes, 0);
  if (bytes > maxBytes.list)
    throw new TypeError(
      `enqueueAll: the updates have ${bytes.toLocaleString('en')} bytes of JSON together: pass at most ${maxBytes.list.toLocaleString('en')} (64 MiB) at once.`,
    );
}

const whatToPass = 'a client of pg, a transaction of PGlite, fromKysely(trx) or fromDrizzle(tx, sql)';

/** Checks what is passed as a transaction. @throws TypeError that says what to pass instead. */
export function checkTx(tx: Sql | undefined): void {
  if (tx === undefined) return;
  if (typeof tx?.query !== 'function') throw new TypeError(`enqueue: pass as tx ${whatToPass}.`);
  if ('totalCount' in tx && 'idleCount' in tx)
    throw new TypeError('enqueue: a pool is no transaction; pass as tx the client that began it.');
  if ('transaction' in tx && 'exec' in tx)
    throw new TypeError('enqueue: a database is no transaction; pass as tx what its transaction() provides.');
}

/**
 * Proves that statements run within a transaction: otherwise each would be stored by itself, whatever becomes of the
 * caller's. Their rows must be readable, too: an error after the insert would hide that the update was accepted.
 *
 * @throws OutboxError `not_a_transaction`
 * @throws TypeError where rows come in another shape
 */
export async function checkTransaction(tx: Sql): Promise<void> {
  const { getTransactionStatus } = tx as { readonly getTransactionStatus?: () => unknown };
  const status = getTransactionStatus?.call(tx);
  if (status === 'T') return;
  let result: unknown;
  try {
    if (status === 'I') throw noTransaction();
    await tx.query('savepoint orders_outbox');
    result = await tx.query('release savepoint orders_outbox');
  } catch (error) {
    throw sqlState(error) === '25P01' ? noTransaction(error) : error;
  }
  if (Array.isArray((result as { rows?: unknown } | undefined)?.rows)) return;
  throw new TypeError(
    `enqueue: query of tx does not resolve with { rows }, so nothing was accepted: pass ${whatToPass}, or { query } with a function that does, such as async (text, values) => ({ rows: await tx.query(text, values) }) with TypeORM and pg-promise.`,
  );
}

function noTransaction(cause?: unknown): OutboxError {
  const message = 'enqueue: tx has not begun a transaction, so nothing was accepted: run "begin" first.';
  return new OutboxError('not_a_transaction', message, { cause });
}

/** What storing an update works with. */
interface EnqueueParts {
  readonly schema: string;
  readonly queue: LaneQueue;
  readonly latestWins: boolean;
}

/**
 * Stores an update behind those of its order, queues the order, and wakes the workers that listen once the transaction
 * commits. A notification makes the commits of the whole server wait for each other, so none is sent to no one.
 *
 * @throws OutboxError `duplicate_id`; the transaction can go on.
 */
export async function insertUpdate(
  tx: Sql,
  { schema, queue, latestWins }: EnqueueParts,
  { id, token, body, traceparent }: NewUpdate,
): Promise<void> {
  // The row of the lane stays locked until the end of the transaction, so positions are in the order of commits.
  const stored = await rowsOf(
    tx,
    `with lane as (
       insert into ${schema}.lanes as lane (token, last) values ($1, 1)
       on conflict (token) do update set last = lane.last + 1 returning token, last
     ),
     stored as (
       insert into ${schema}.updates (id, token, position, accepted_position, body, state, traceparent)
       select $2::uuid, token, last, last, $3, 'queued', $4 from lane on conflict (id) do nothing returning position
     )
     select case when ${hasListener(schema)} then pg_notify('${queue.channel}', '') end from stored`,
    [token, id, body, traceparent ?? null],
  );
  if (stored.length === 0) {
    const message = `There is an update ${id} in this outbox already: the earlier call was accepted, and this one added nothing.`;
    throw new OutboxError('duplicate_id', message, { ids: [id] });
  }
  if (latestWins) await supersede(tx, { schema, queue }, [{ token, id }]);
  await queue.add(tx, token);
}

/** Discards what is queued of orders, but for these updates. What was delayed delays them no longer. */
async function supersede(
  tx: Sql,
  { schema, queue }: Pick<EnqueueParts, 'schema' | 'queue'>,
  latest: readonly Pick<NewUpdate, 'token' | 'id'>[],
): Promise<void> {
  const delayed = await rowsOf<{ token: string }>(
    tx,
    `with superseded as (
       update ${schema}.updates set ${discarded}, code = 'superseded'
       where token = any($1::text[]) and open and state = 'queued' and id <> all($2::uuid[]) returning token, due_at
     )
     select distinct token from superseded where due_at > clock_timestamp()`,
    [latest.map(({ token }) => token), latest.map(({ id }) => id)],
  );
  for (const { token } of delayed) await queue.reschedule(tx, { token });
}

/**
 * Does for many updates what `insertUpdate` does for one, by one statement for all of them, one for the jobs of their orders,
 * and with `latestWins` one more. Orders are locked, and ids stored, in sorted order, so that two such calls never deadlock.
 *
 * @throws OutboxError `duplicate_id`; nothing is stored, and the transaction can go on.
 */
export async function insertUpdates(
  tx: Sql,
  { schema, queue, latestWins }: EnqueueParts,
  updates: readonly NewUpdate[],
): Promise<void> {
  // They have one time, read once all their orders are locked: else some would count as accepted before an earlier one.
  const column = (name: keyof NewUpdate): unknown[] => updates.map((update) => update[name] ?? null);
  const stored = await rowsOf<{ id: string }>(
    tx,
    `with given as (
       select *, row_number() over (partition by token order by number desc) - 1 as behind
       from unnest($1::text[], $2::uuid[], $3::text[], $4::text[]) with ordinality as u (token, id, body, traceparent, number)
     ),
     lane as (
       insert into ${schema}.lanes as lane (token, last)
       select token, count(*) from given group by token order by token collate "C"
       on conflict (token) do update set last = lane.last + excluded.last returning token, last
     ),
     accepted as (select clock_timestamp() as at, count(*) from lane),
     stored as (
       insert into ${schema}.updates (id, token, position, accepted_position, body, state, traceparent, created_at)
       select id, token, last - behind, last - behind, body, 'queued', traceparent, at
       from given join lane using (token) cross join accepted order by id on conflict (id) do nothing returning id
     )
     select id::text as id, case when ${hasListener(schema)} then pg_notify('${queue.channel}', '') end from stored`,
    [column('token'), column('id'), column('body'), column('traceparent')],
  );
  if (stored.length < updates.length) {
    const added = new Set(stored.map(({ id }) => id));
    await tx.query(`delete from ${schema}.updates where id = any($1::uuid[])`, [[...added]]);
    const ids = updates.map(({ id }) => id).filter((id) => !added.has(id));
    const message = `There are updates ${ids.slice(0, 10).join(', ')}${ids.length > 10 ? ', …' : ''} in this outbox already: earlier calls were accepted, and this one added nothing.`;
    throw new OutboxError('duplicate_id', message, { ids });
  }
  const tokens = [...new Set(updates.map(({ token }) => token))];
  if (latestWins)
    await supersede(tx, { schema, queue }, [
      ...new Map(updates.map((update) => [update.token, update])).values(),
    ]);
  await queue.insert(
    tx,
    tokens.map((token) => ({ token })),
  );
}

/** What changes when an update is discarded. */
export const discarded = `state = 'discarded', open = false, needs_decision = false, body = null, claim = null,
  settled_at = clock_timestamp(), changed = pg_current_xact_id()`;
