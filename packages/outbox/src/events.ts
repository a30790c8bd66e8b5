import { rest } from './rest.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import { rowsOf } from './store/sql.ts';

/** One thing that happened to an update. */
export interface OutboxEvent {
  /** Numbers of later events are higher; there are gaps. */
  readonly seq: number;
  readonly at: Date;
  readonly updateId: string;
  readonly token: string;
  readonly kind: 'queued' | 'sending' | 'applied' | 'rejected' | 'parked' | 'discarded' | 'retried';
  /** A code that says more, such as `superseded`. */
  readonly detail?: string;
}

interface EventRow {
  readonly seq: string | number;
  readonly at: Date;
  readonly update_id: string;
  readonly token: string;
  readonly kind: OutboxEvent['kind'];
  readonly detail: string | null;
  readonly is_known: boolean;
}

/** How often the table is looked at, in milliseconds, and how often where a number is missing. */
const lookEveryMs = { usual: 200, missing: 20 };
const page = 500;
/** How far back, in numbers, an event may lie that was not committed yet when the reader began. */
const lookBack = 1_000;

/** What reading events needs. */
export interface EventsFrom {
  /** The number of the last event that is known. */
  readonly after?: number | undefined;
  readonly signal: AbortSignal;
  /** Told when the database does not answer; reading goes on. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Reads events in the order of their numbers, each once, from the moment of the call on. Numbers are given before a
 * transaction commits, so a number that is missing may still come: reading waits there until every transaction that may
 * hold it has ended.
 */
export function readEvents(
  store: OutboxStore,
  schema: string,
  from: EventsFrom,
): AsyncGenerator<OutboxEvent> {
  const start =
    from.after === undefined
      ? keepTrying(() => takeSnapshot(store, schema), from)
      : Promise.resolve(undefined);
  return readFrom(store, schema, { ...from, start });
}

async function* readFrom(
  store: OutboxStore,
  schema: string,
  from: EventsFrom & { readonly start: Promise<Snapshot | undefined> },
): AsyncGenerator<OutboxEvent> {
  const { after, signal } = from;
  const trying = <T>(read: () => Promise<T>): Promise<T | undefined> => keepTrying(read, from);
  const start = await from.start;
  let last = after ?? Math.max(0, (start?.seq ?? 0) - lookBack);
  let seen = last;
  /** Numbers up to this one were given to transactions before `xmax`. */
  let fence: { readonly seq: number; readonly xmax: bigint } | undefined;

  while (!signal.aborted) {
    const now = await trying(() => takeSnapshot(store, schema));
    if (!now) return;
    fence ??= { seq: seen, xmax: now.xmax };
    // Transactions that may hold a missing number have ended, and the page that is read next shows what they left.
    const sureTo = now.xmin >= fence.xmax ? fence.seq : 0;
    if (sureTo > 0 || seen === last) fence = undefined;
    const rows = await trying(() => readPage(store, schema, { last, known: start?.text ?? '1:1:' }));
    if (!rows) return;
    for (const row of rows) {
      const seq = Number(row.seq);
      if (seq !== last + 1 && seq > sureTo) break;
      last = seq;
      if (!row.is_known) yield readEvent(row);
    }
    seen = Math.max(last, Number(rows.at(-1)?.seq ?? 0));
    if (seen > last) await rest(lookEveryMs.missing, signal);
    else if (rows.length < page) await rest(lookEveryMs.usual, signal);
  }
}

async function keepTrying<T>(
  read: () => Promise<T>,
  { signal, onFailure }: Pick<EventsFrom, 'signal' | 'onFailure'>,
): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      return await read();
    } catch (error) {
      if (!signal.aborted) onFailure(error);
      await rest(lookEveryMs.usual, signal);
    }
  }
  return undefined;
}

interface Snapshot {
  /** The last number that is committed. */
  readonly seq: number;
  /** Every transaction before this one has ended. */
  readonly xmin: bigint;
  /** No transaction from this one on had begun to write. */
  readonly xmax: bigint;
  readonly text: string;
}

async function takeSnapshot(store: OutboxStore, schema: string): Promise<Snapshot> {
  const [row] = await rowsOf<{ text: string; seq: string | number | null }>(
    store,
    `select pg_current_snapshot()::text as text, (select max(seq) from ${schema}.events) as seq`,
  );
  const [xmin = '', xmax = ''] = row?.text.split(':') ?? [];
  return { seq: Number(row?.seq ?? 0), xmin: BigInt(xmin), xmax: BigInt(xmax), text: row?.text ?? '' };
}

function readPage(
  store: OutboxStore,
  schema: string,
  { last, known }: { readonly last: number; readonly known: string },
): Promise<EventRow[]> {
  return rowsOf<EventRow>(
    store,
    `select seq, at, update_id, token, kind, detail, pg_visible_in_snapshot(transaction, $2::pg_snapshot) as is_known
     from ${schema}.events where seq > $1 order by seq limit ${page}`,
    [last, known],
  );
}

function readEvent({ seq, at, update_id, token, kind, detail }: EventRow): OutboxEvent {
  return {
    seq: Number(seq),
    at: new Date(at),
    updateId: update_id,
    token,
    kind,
    ...(detail === null ? {} : { detail }),
  };
}
