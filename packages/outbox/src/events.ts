import { checkOptions } from '@orders/schema/check-options';
import type { Decision } from './decide.ts';
import { OutboxError } from './errors.ts';
import { type EventRow, type EventState, eventColumns, type InboxEvent, toEvent } from './inbox-event.ts';
import { checkCount, checkText } from './options.ts';
import { type OutboxStore, quoteName, rowsOf, type Sql } from './store.ts';
import { encode, isStorable } from './updates.ts';

/** Which events `list` resolves with. */
export interface EventListOptions {
  /** @default ['needs_review'] */
  readonly states?: readonly EventState[] | undefined;
  readonly token?: string | undefined;
  /** At most 100,000. @default 100 */
  readonly limit?: number | undefined;
}

/** What a person sees and decides of the events of an inbox. */
export interface Events {
  /** One event; `undefined` when it is not known, or no longer. */
  get(id: string): Promise<InboxEvent | undefined>;
  /** Events that wait for a person, or others, without their payloads, the oldest first. */
  list(options?: EventListOptions): Promise<readonly InboxEvent[]>;
  /** How many are queued, and how many need review. */
  counts(): Promise<Readonly<Record<'queued' | 'needs_review', number>>>;
  /**
   * Handles an event that needs review, or waits for its next try, as soon as it is the first of its order.
   *
   * @throws OutboxError `nothing_to_decide`; `order_locked` where its handler runs for longer than 3 s.
   */
  retry(id: string, decision?: Decision): Promise<InboxEvent>;
  /** Gives an event up that is queued or needs review. @throws OutboxError `nothing_to_decide` */
  discard(id: string, decision?: Decision): Promise<InboxEvent>;
}

const states: readonly EventState[] = ['queued', 'handled', 'needs_review', 'discarded'];

/** Until the transaction ends, nothing else is stored of an order, or made due. */
export async function lockOrder(tx: Sql, table: string, token: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${table}:${token}`]);
}

/**
 * Those that wait behind others of their order are due at no time: the first of them is, once it is the first. One that
 * somebody decides about at this moment is made due by that, once this has ended.
 */
export async function makeNextDue(tx: Sql, table: string, token: string): Promise<void> {
  await lockOrder(tx, table, token);
  await tx.query(
    `update ${table} set due_at = clock_timestamp() where state = 'queued' and due_at = 'infinity' and id = (
       select id from ${table} where token = $1 and settled_at is null order by position limit 1 for update skip locked
     )`,
    [token],
  );
}

/**
 * The events that are stored in a database, to look at them and to decide where no inbox runs.
 *
 * @param databaseSchema That of the inbox.
 */
export function eventsOf(store: OutboxStore, databaseSchema = 'orders_outbox'): Events {
  const table = `${quoteName(databaseSchema)}.events`;

  async function list(options: EventListOptions = {}): Promise<readonly InboxEvent[]> {
    checkOptions('list', options, ['states', 'token', 'limit']);
    const { states: wanted = ['needs_review'], token, limit = 100 } = options;
    checkCount('list: limit', limit);
    if (!Array.isArray(wanted) || !wanted.every((state) => states.includes(state)))
      throw new TypeError(`list: write states as some of ${states.join(', ')}.`);
    if (token !== undefined) checkText('list', 'token', token);
    // The database would refuse to look for it.
    if (!isStorable(token ?? '')) return [];
    // Payloads of a megabyte each might fill the memory.
    const columns = eventColumns.replace('payload', 'null as payload');
    // Those that wait have an index of their own.
    const isOpen = wanted.every((state) => state === 'queued' || state === 'needs_review');
    const rows = await rowsOf<EventRow>(
      store,
      `select ${columns} from ${table} where ${isOpen ? 'settled_at is null and' : ''} state = any($1::text[]) and ($2::text is null or token = $2)
       order by received_at, token, position limit $3`,
      [[...wanted], token ?? null, limit],
    );
    return rows.map(toEvent);
  }

  async function decide(
    id: string,
    { by, note }: Decision,
    {
      name,
      from,
      set,
      action,
    }: Readonly<Record<'name' | 'set' | 'action', string>> & { readonly from: readonly EventState[] },
  ): Promise<InboxEvent> {
    checkText(name, 'id', id);
    const why = [by && `by ${by}`, note].filter(Boolean).join(': ');
    const decided = await store.transaction(async (tx) => {
      if (!isStorable(id)) return undefined;
      const [row] = await rowsOf<EventRow>(
        tx,
        `update ${table} set message = coalesce($3, message), ${set}
         where id = $1 and state = any($2::text[]) returning ${eventColumns}`,
        [id, [...from], why === '' ? null : encode(why)],
      );
      if (!row) return undefined;
      await makeNextDue(tx, table, row.token);
      await tx.query('select pg_notify($1, $2)', [`${databaseSchema}_inbox`, '']);
      return toEvent(row);
    });
    if (decided) return decided;
    throw new OutboxError(
      'nothing_to_decide',
      `There is no event ${id.slice(0, 64)} that could be ${action}.`,
    );
  }

  return {
    async get(id) {
      checkText('get', 'id', id);
      if (!isStorable(id)) return undefined;
      const [row] = await rowsOf<EventRow>(store, `select ${eventColumns} from ${table} where id = $1`, [id]);
      return row && toEvent(row);
    },
    list,
    async counts() {
      const [row] = await rowsOf<Record<'queued' | 'needs_review', number>>(
        store,
        `select count(*) filter (where state = 'queued')::int as queued,
           count(*) filter (where state = 'needs_review')::int as needs_review from ${table} where settled_at is null`,
      );
      return row ?? { queued: 0, needs_review: 0 };
    },
    retry: (id, decision = {}) =>
      decide(id, decision, {
        name: 'retry',
        from: ['needs_review', 'queued'],
        set: `state = 'queued', failures = 0, due_at = 'infinity'`,
        action: 'handled again',
      }),
    discard: (id, decision = {}) =>
      decide(id, decision, {
        name: 'discard',
        from: ['queued', 'needs_review'],
        set: `state = 'discarded', payload = null, settled_at = clock_timestamp()`,
        action: 'given up',
      }),
  };
}
