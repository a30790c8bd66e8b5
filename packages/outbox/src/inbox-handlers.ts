import { setTimeout as delay } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import { describeError } from './errors.ts';
import { makeNextDue } from './events.ts';
import { type Handling, handling, noteBegun } from './handling.ts';
import { type EventRow, eventColumns, type InboxEvent, toEvent } from './inbox-event.ts';
import { type OutboxStore, rowsOf, type Sql, type Subscription } from './store.ts';
import { withLinkedSpan } from './telemetry.ts';
import { encode } from './updates.ts';

/** Handles an event in a transaction. */
export type InboxHandler = (event: InboxEvent, context: { readonly tx: Sql }) => Promise<unknown> | unknown;

/** What handling needs. */
interface HandlerParts {
  readonly store: OutboxStore;
  readonly handler: InboxHandler;
  readonly table: string;
  readonly channel: string;
  readonly concurrency?: number | undefined;
  readonly keepIdsMs?: number | undefined;
  readonly warn: (message: string) => void;
}

/** How long a handler may take, in milliseconds: on PGlite sending waits for it. */
const handlerMs = { pglite: 2_000, postgres: 10_000 };
/** A statement ends with the time of its handler; a connection that does nothing is ended later, which no failure would count. */
const settings = `set local statement_timeout = ${handlerMs.postgres};
  set local idle_in_transaction_session_timeout = ${2 * handlerMs.postgres}`;
const blocked = `Its handler, or something else in this process, blocked it for more than ${(2 * handlerMs.postgres) / 1_000} s, and PostgreSQL ended the transaction.`;
/** After how many failures an event needs review, and the longest wait between two, in milliseconds. */
const maxFailures = 10;
const longestMs = 300_000;
/** How often it looks by itself, in milliseconds: with notifications, and without; after an error; and while somebody waits. */
const lookMs = { listening: 5_000, polling: 1_000, afterError: 1_000, draining: 20 };
/** How often ids are deleted that are old, and how many at once. */
const cleaning = { everyMs: 60_000, count: 500 };

/** Handles events, each in a transaction with what its handler does. */
export class EventHandlers {
  readonly #parts: HandlerParts;
  #subscription: Subscription | undefined;
  #running: Promise<unknown> | undefined;
  #isStopping = false;
  #hasFailed = false;
  #cleanedAt = Number.NEGATIVE_INFINITY;
  readonly #sleeping = new Set<() => void>();
  #wakes = 0;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  /** What is due: the first events of their orders. A person may make those due that wait behind others. */
  get #due(): string {
    const { table } = this.#parts;
    return `${table} as e where state = 'queued' and due_at <= clock_timestamp() and not exists (
      select from ${table} as earlier
      where earlier.token = e.token and earlier.position < e.position and earlier.settled_at is null
    )`;
  }

  get #count(): number {
    return this.#parts.store.backend === 'pglite' ? 1 : (this.#parts.concurrency ?? 2);
  }

  async start(): Promise<void> {
    this.#subscription ??= await this.#parts.store.listen(this.#parts.channel, () => this.wake());
    this.#running ??= Promise.all(Array.from({ length: this.#count }, (_, index) => this.#run(index)));
  }

  /** Looks for events at once. */
  wake(): void {
    this.#wakes++;
    for (const end of this.#sleeping) end();
  }

  /** Resolves once no event is due: one that is being handled is, until that is committed. */
  async whenIdle(): Promise<void> {
    this.wake();
    while (!this.#isStopping) {
      const { rows } = await this.#parts.store.executeSql(`select from ${this.#due} limit 1`);
      if (rows.length === 0) return;
      await delay(lookMs.draining);
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.wake();
    await this.#running;
    // Who closed the store before has ended it.
    await this.#subscription?.close().catch(() => {});
  }

  /** Handles events until it is stopped. Only the first looks by itself: it wakes the others once it has found something. */
  async #run(index: number): Promise<void> {
    const isFirst = index === 0;
    while (!this.#isStopping) {
      const wakes = this.#wakes;
      let waitMs = this.#subscription?.isListening ? lookMs.listening : lookMs.polling;
      try {
        if (isFirst) await this.#clean();
        if (await this.#handleNext()) continue;
        if (isFirst) waitMs = Math.min(waitMs, await this.#nextInMs());
        this.#hasFailed = false;
      } catch (error) {
        if (!this.#hasFailed && !this.#isStopping)
          this.#parts.warn(`The inbox cannot handle events, and tries again: ${describeError(error)}`);
        this.#hasFailed = true;
        waitMs = lookMs.afterError;
      }
      if (wakes === this.#wakes) await this.#sleep(isFirst ? waitMs : undefined);
    }
  }

  /** Waits until it is woken, or for so long. */
  #sleep(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#sleeping.delete(end);
        resolve();
      };
      const timer = ms === undefined ? undefined : setTimeout(end, ms);
      this.#sleeping.add(end);
    });
  }

  /** Handles the event that has been due longest: the first of an order. Resolves with whether there was one. */
  async #handleNext(): Promise<boolean> {
    const { store, table } = this.#parts;
    let row: EventRow | undefined;
    let isHandled = false;
    const handle = async (tx: Sql): Promise<void> => {
      // The store runs again what PostgreSQL has ended, since nothing came from this process for too long.
      if (row) return this.#noteFailure(tx, row, blocked);
      [row] = await rowsOf<EventRow>(
        tx,
        `select ${eventColumns} from ${this.#due} order by due_at limit 1 for update skip locked`,
      );
      if (!row) return;
      // There may be more.
      for (const end of this.#sleeping) end();
      await tx.query('savepoint orders_inbox');
      try {
        const event = toEvent(row);
        if (event.payload === undefined) throw new Error('Its payload in the database is no JSON.');
        const options = { kind: SpanKind.CONSUMER, cause: row.traceparent, describe: () => ({}) };
        await withLinkedSpan('orders.inbox.handle', options, () => this.#callHandler(tx, event));
        // What is checked at the commit would fail there without being counted.
        await tx.query('set constraints all immediate');
        await tx.query(
          `update ${table} set state = 'handled', payload = null, message = null, settled_at = clock_timestamp() where id = $1`,
          [row.id],
        );
        await makeNextDue(tx, table, row.token);
        isHandled = true;
      } catch (error) {
        await tx.query('rollback to savepoint orders_inbox');
        await this.#noteFailure(tx, row, describeError(error));
      }
    };
    try {
      await store.transaction(handle, store.backend === 'postgres' ? { settings, isSingle: true } : {});
    } catch (error) {
      // A handler may have ended its connection, or made the commit fail.
      if (row && !isHandled) await this.#noteFailure(store, row, describeError(error)).catch(() => {});
      throw error;
    }
    return row !== undefined;
  }

  /** Calls the handler, which must await all that it begins; its statements fail once its time is over. @throws what it throws */
  async #callHandler(tx: Sql, event: InboxEvent): Promise<void> {
    const { store, handler } = this.#parts;
    const ms = handlerMs[store.backend];
    const tooLong = new Error(`The handler took longer than ${ms / 1_000} s, and was rolled back.`);
    const state: Handling = { hasReturned: false, isOver: false, begun: new Set() };
    let misuse: Error | undefined;
    let last: Promise<unknown> = Promise.resolve();
    // One after the other: what has not begun when the time is over does not begin.
    const query: Sql['query'] = (text, values) => {
      // From a timer, for example: its event is committed, so only this promise can report it.
      if (state.hasReturned && state.isOver)
        return Promise.reject(
          new Error('The handler has ended, and its transaction: await all that uses its tx.'),
        );
      const running = last.then(() => {
        if (state.isOver) throw tooLong;
        if (!endsTransaction(text)) return tx.query(text, values);
        misuse = new TypeError(
          'The transaction commits with the event, after its handler: throw an error, and it is rolled back.',
        );
        throw misuse;
      });
      last = running.catch(() => {});
      noteBegun(state, running);
      return running;
    };
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(tooLong), ms);
    const handle = async (): Promise<void> => {
      const [called] = await Promise.allSettled([
        handling.run(state, async () => handler(event, { tx: { query } })),
      ]);
      let isDone = true;
      // What goes on without it keeps the transaction until it ends, which is rolled back then.
      do {
        isDone &&= state.begun.size === 0;
        await Promise.allSettled(state.begun);
        // By then, what follows it has begun.
        await new Promise(setImmediate);
      } while (state.begun.size > 0);
      state.hasReturned = true;
      if (called.status === 'rejected') throw called.reason;
      if (misuse) throw misuse;
      if (!isDone)
        throw new Error(
          'It returned before what it had begun was done: await each enqueue, and each query of its tx.',
        );
    };
    try {
      await Promise.race([handle(), promise]);
    } finally {
      state.isOver = true;
      // Their event has failed.
      for (const work of state.begun) work.catch(() => {});
      clearTimeout(timer);
      // A statement without `await` would run into what follows.
      await last;
    }
  }

  async #noteFailure(tx: Sql, { id, failures }: EventRow, message: string): Promise<void> {
    const { table, warn } = this.#parts;
    const isLast = failures + 1 >= maxFailures;
    const delayMs = Math.min(longestMs, 1_000 * 2 ** failures) * (0.5 + Math.random() / 2);
    await tx.query(
      `update ${table} set failures = failures + 1, message = $2, state = $3,
         due_at = clock_timestamp() + $4::float8 * interval '1 millisecond' where id = $1 and state = 'queued'`,
      [id, encode(message.slice(0, 500)), isLast ? 'needs_review' : 'queued', delayMs],
    );
    const what = message.slice(0, 500);
    const name = printable(id);
    if (isLast)
      warn(
        `The event ${name} needs review, and holds later ones of its order: its handler failed ${maxFailures} times, last: ${what}`,
      );
    else if (failures === 0) warn(`The handler failed for the event ${name}, and is tried again: ${what}`);
  }

  /** How long until an event is due that was put off, in milliseconds. */
  async #nextInMs(): Promise<number> {
    const { store, table } = this.#parts;
    const [row] = await rowsOf<{ ms: number | null }>(
      { query: store.executeSql },
      `select (extract(epoch from min(due_at))::float8 - extract(epoch from clock_timestamp())::float8) * 1000 as ms
       from ${table} where state = 'queued' and due_at > clock_timestamp() and due_at < 'infinity'`,
    );
    return Math.max(10, row?.ms ?? Number.POSITIVE_INFINITY);
  }

  /** Deletes ids that are old, and makes events due whose earlier ones a person has deleted. */
  async #clean(): Promise<void> {
    const { store, table, warn, keepIdsMs = 30 * 86_400_000 } = this.#parts;
    if (performance.now() - this.#cleanedAt < cleaning.everyMs) return;
    this.#cleanedAt = performance.now();
    const strange = await rowsOf<{ id: string }>(
      { query: store.executeSql },
      `update ${table} set state = 'needs_review', message = to_json('Its state in the database was ' || state)::text
       where settled_at is null and state not in ('queued', 'needs_review') returning id`,
    );
    for (const { id } of strange)
      warn(`The event ${printable(id)} needs review: its state in the database was none.`);
    await store.executeSql(
      `update ${table} set due_at = clock_timestamp() where state = 'queued' and due_at = 'infinity' and id in (
         select distinct on (token) id from ${table} where settled_at is null order by token, position
       )`,
    );
    const { rows } = await store.executeSql(
      `delete from ${table} where id in (
         select id from ${table} where state in ('handled', 'discarded')
           and settled_at < clock_timestamp() - $1::float8 * interval '1 millisecond' limit ${cleaning.count} for update skip locked
       ) returning id`,
      [Math.min(keepIdsMs, 1e12)],
    );
    if (rows.length === cleaning.count) this.#cleanedAt = Number.NEGATIVE_INFINITY;
  }
}

/** Whether a statement ends its transaction, and not only a savepoint in it. */
function endsTransaction(text: string): boolean {
  const [first = '', ...others] = firstWords(text);
  const [second, third] = others;
  if (first === 'prepare') return second === 'transaction';
  if (first === 'rollback')
    return second !== 'to' && !(/^(?:work|transaction)$/.test(second ?? '') && third === 'to');
  return ['commit', 'end', 'abort'].includes(first);
}

/** The first three words of a statement, without what PostgreSQL skips: spaces, semicolons and comments, which may hold others. */
function firstWords(text: string): readonly string[] {
  const words: string[] = [];
  let depth = 0;
  let isLine = false;
  for (const [part] of text.matchAll(/\/\*|\*\/|--|\w+|[\s\S]/g)) {
    if (isLine) isLine = !/[\n\r]/.test(part);
    else if (part === '/*') depth++;
    else if (depth > 0) depth -= part === '*/' ? 1 : 0;
    else if (part === '--') isLine = true;
    else if (/\w/.test(part)) words.push(part.toLowerCase());
    else if (!/[\s;]/.test(part)) break;
    if (words.length === 3) break;
  }
  return words;
}

/** An id in one line: the sender chooses it. */
const printable = (id: string): string => id.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
