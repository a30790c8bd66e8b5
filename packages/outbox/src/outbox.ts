import type { OrderUpdate } from '@orders/schema';
import type { Backlog } from './backlog.ts';
import type { OutboxEvent } from './events.ts';
import type { Sql } from './store/sql.ts';
import type { UpdateStatus } from './update-status.ts';

/** Options of `enqueue`. */
export interface EnqueueOptions {
  /**
   * A transaction of your own on the same database: the update is accepted exactly when it commits. A client of `pg` must
   * have begun one. Within a transaction of the PGlite that holds the outbox, an `enqueue` without it waits for ever.
   */
  readonly tx?: Sql;
  /**
   * A UUID of your own, by which the update is known.
   * @default made at random
   */
  readonly id?: string;
}

/** Updates that survive their process. */
export interface Outbox<Update extends OrderUpdate = OrderUpdate> {
  /**
   * Checks an update and accepts it: from then on it is applied, rejected, discarded, or parked for a decision. Gives its id.
   * A transaction of yours holds back what happens in the order's lane until it ends, so keep it short.
   *
   * @throws ValidationError with the same issues as the client; nothing is accepted.
   * @throws TypeError when an option is wrong, or the token longer than 2,600 bytes; nothing is accepted.
   * @throws OutboxError `duplicate_id`, `closed`, or `database_unusable` when others wait for too long for their orders;
   *   nothing is accepted. By the first, PostgreSQL ends a transaction of yours.
   */
  enqueue(token: string, update: Update, options?: EnqueueOptions): Promise<string>;
  /** Sends accepted updates in this process from now on; further calls do nothing. */
  work(): Promise<void>;
  /** How an update stands; undefined when the outbox does not know it, or no longer. */
  status(id: string): Promise<UpdateStatus | undefined>;
  /** The latest updates of an order, newest first. */
  history(token: string, limit?: number): Promise<readonly UpdateStatus[]>;
  /**
   * Updates that wait for a decision: parked ones, and those the service rejected, in the order in which they were
   * accepted; 100 at most where no limit, from 1 to 100,000, says otherwise. Those behind one of them come `after` its
   * id; of one that the outbox does not know any more, they come from the beginning.
   */
  listDecisions(
    limit?: number,
    options?: { readonly after?: string | undefined },
  ): Promise<readonly UpdateStatus[]>;
  /**
   * Sends a parked or rejected update again: in its place, or behind those of its order where a later one may have been
   * applied since. Several of an order keep the order in which they were accepted when they are sent again oldest first.
   *
   * @throws OutboxError `unknown_update`, `nothing_to_decide`, `closed`, or `database_unusable` as `enqueue` does
   */
  retry(id: string): Promise<UpdateStatus>;
  /** Gives up an update that is queued, parked or rejected. @throws OutboxError as `retry` does */
  discard(id: string): Promise<UpdateStatus>;
  /**
   * What happens to updates, in order, each once, until `signal` fires or the outbox closes. After an event (0 for the
   * beginning) nothing is missed that is not older than `keepSettledMs`, when events are deleted. From now on, without
   * `after`, what a transaction accepts that is under way may be missed. An event waits for transactions that may hold
   * an earlier one.
   */
  events(options?: { readonly after?: number; readonly signal?: AbortSignal }): AsyncIterable<OutboxEvent>;
  /** What is before the outbox, for whoever watches it. */
  backlog(): Promise<Backlog>;
  /** How many updates there are in each state. It counts them all: for what is watched all the time there is `backlog`. */
  counts(): Promise<Readonly<Record<UpdateStatus['state'], number>>>;
  /**
   * Resolves when nothing is left that goes on by itself, so never while updates wait and no process works. Parked and
   * rejected updates do not count, nor do those that wait behind one of them.
   *
   * @throws OutboxError `closed`
   */
  drain(): Promise<void>;
  /**
   * Takes no more, lets what is on its way end within the grace, in milliseconds, aborts the rest, stores what became of
   * it, and closes the store. It ends within ten seconds after the grace; what could not be stored by then is parked
   * later, as after a crash.
   * @default graceMs 10_000
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
