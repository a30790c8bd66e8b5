import { randomInt, randomUUID } from 'node:crypto';
import process from 'node:process';
import type { OrderUpdate } from '@orders/schema';
import { type Backlog, readBacklog } from './backlog.ts';
import { channelOf } from './channel.ts';
import { checkOptions } from './check-options.ts';
import type { Head } from './claim.ts';
import { countWorkers } from './count-workers.ts';
import { discardUpdate, retryUpdate } from './decide.ts';
import { insertUpdate, supersedeWith } from './enqueue.ts';
import { type OutboxEvent, readEvents } from './events.ts';
import type { UnknownChoice } from './judge-result.ts';
import { laneQueue } from './lane-queue.ts';
import { openTables } from './open-tables.ts';
import { watchOutage } from './outage.ts';
import { OutboxError } from './outbox-error.ts';
import type { OutboxOptions } from './outbox-options.ts';
import { reasonOf } from './reason-of.ts';
import { rest } from './rest.ts';
import { checkSchemaName } from './schema-name.ts';
import type { SettledUpdate } from './settled-update.ts';
import { rowsOf, type Sql } from './store/sql.ts';
import { isUpdateId, readStatus, statusColumns, type UpdateRow, type UpdateStatus } from './update-status.ts';
import { type Upkeep, upkeepOf } from './upkeep.ts';
import type { Verdict } from './verdict.ts';
import { Worker, type WorkerParts } from './worker.ts';

/** Options of `enqueue`. */
export interface EnqueueOptions {
  /** A transaction of your own on the same database: the update is accepted exactly when it commits. */
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
   * @throws InvalidRequestError with the same issues as the client; nothing is accepted.
   * @throws OutboxError `duplicate_id` or `closed`; nothing is accepted.
   */
  enqueue(token: string, update: Update, options?: EnqueueOptions): Promise<string>;
  /** Sends accepted updates in this process from now on; further calls do nothing. */
  work(): Promise<void>;
  /** How an update stands; undefined when the outbox does not know it, or no longer. */
  status(id: string): Promise<UpdateStatus | undefined>;
  /** The latest updates of an order, newest first. */
  history(token: string, limit?: number): Promise<readonly UpdateStatus[]>;
  /** Updates that wait for a decision: parked ones, and those the service rejected; oldest first. */
  listDecisions(limit?: number): Promise<readonly UpdateStatus[]>;
  /**
   * Sends a parked or rejected update again: in its place, or behind those of its order when a later one has been sent
   * since.
   *
   * @throws OutboxError `unknown_update` or `nothing_to_decide`
   */
  retry(id: string): Promise<UpdateStatus>;
  /** Gives up an update that is queued, parked or rejected. @throws OutboxError `unknown_update` or `nothing_to_decide` */
  discard(id: string): Promise<UpdateStatus>;
  /**
   * What happens to updates, in order, each once, until `signal` fires or the outbox closes: from now on, where what is
   * accepted at this very moment may be missed, or after an event (0 for the beginning), where nothing is. An event
   * waits for transactions that may hold an earlier one.
   */
  events(options?: { readonly after?: number; readonly signal?: AbortSignal }): AsyncIterable<OutboxEvent>;
  /** What is before the outbox, for whoever watches it. */
  backlog(): Promise<Backlog>;
  /** How many updates there are in each state. It counts them all: for what is watched all the time there is `backlog`. */
  counts(): Promise<Readonly<Record<UpdateStatus['state'], number>>>;
  /**
   * Resolves when nothing is left that goes on by itself. Parked and rejected updates do not count, nor do those that
   * wait behind one of them.
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

/** How long a week is, in milliseconds. */
const week = 604_800_000;
/** How often it is looked whether anything is left, in milliseconds. */
const drainEveryMs = 20;
/** How long the store may take to close, in milliseconds. */
const closeMs = 5_000;

/**
 * Opens an outbox: makes its tables or brings them up to date, and takes up what an earlier process left behind. It
 * sends nothing until `work()`. When it rejects with an OutboxError, the store is closed.
 *
 * @throws TypeError when an option is wrong.
 * @throws OutboxError `database_unusable` or `newer_tables`
 */
export async function createOutbox<Update extends OrderUpdate = OrderUpdate>(
  options: OutboxOptions<Update>,
): Promise<Outbox<Update>> {
  checkOptions(options);
  const { client, store, latestWins = false, concurrency = 32, localConcurrency = 32 } = options;
  const {
    onUnknown = 'park',
    onRejected = 'continue',
    maxRetryDelayMs = 60_000,
    keepSettledMs = week,
  } = options;
  const { warn = (message: string) => process.emitWarning(message, 'OutboxWarning') } = options;
  const schema = checkSchemaName(options.schema ?? 'orders_outbox');
  const now = () => performance.now();
  const outage = watchOutage(warn, now);
  const presence = randomInt(1, 2 ** 31 - 1);
  const closed = new AbortController();

  let worker: Worker | undefined;
  let upkeep: Upkeep | undefined;
  let isAttending = false;
  let closing: Promise<void> | undefined;
  const { boss, subscription } = await openTables(store, schema, {
    outage,
    attendance: {
      channel: channelOf(schema),
      presence,
      onMessage: (payload) => {
        if (payload === 'work') worker?.wake('lanes');
        else worker?.wake('jobs');
      },
      onLoss: () => {
        isAttending = false;
      },
      onGap: () => {
        isAttending = true;
        upkeep?.unsteady();
        worker?.wake('lanes');
        worker?.wake('jobs');
      },
    },
  });
  const queue = laneQueue({ boss, store, schema, concurrency });
  const tending = upkeepOf({ boss, store, schema, keepSettledMs, now });
  upkeep = tending;

  async function chooseForUnknown(head: Head, told: Partial<Verdict>): Promise<UnknownChoice> {
    if (typeof onUnknown === 'string') return onUnknown;
    const { id, token } = head;
    const { code = '', message = '' } = told;
    const attempts = head.attempts + (head.state === 'queued' ? 1 : 0);
    return onUnknown({ id, token, attempts, code, message });
  }

  function onSettled(settled: SettledUpdate): void {
    try {
      options.onSettled?.(settled);
    } catch (error) {
      warn(`onSettled failed: ${reasonOf(error)}`);
    }
  }

  function checkOpen(): void {
    if (closing) throw new OutboxError('closed', 'The outbox is closed.');
  }

  async function enqueue(token: string, update: Update, { tx, id = randomUUID() }: EnqueueOptions = {}) {
    checkOpen();
    if (!isUpdateId(id)) throw new TypeError('enqueue: write id as a UUID, as crypto.randomUUID() makes it.');
    const { body } = client.prepareUpdateOrder(token, update);
    const accepted = { id, token, body };
    if (!latestWins) await insertUpdate(tx ?? store, schema, accepted);
    else if (tx) await supersedeWith(tx, schema, accepted);
    else await store.transaction((own) => supersedeWith(own, schema, accepted));
    return id;
  }

  async function select(where: string, values: readonly unknown[]): Promise<readonly UpdateStatus[]> {
    const text = `select ${statusColumns} from ${schema}.updates ${where}`;
    return (await rowsOf<UpdateRow>(store, text, values)).map(readStatus);
  }

  async function counts() {
    const rows = await rowsOf<{ state: UpdateStatus['state']; count: string }>(
      store,
      `select state, count(*) as count from ${schema}.updates group by state`,
    );
    const none = { queued: 0, sending: 0, applied: 0, rejected: 0, parked: 0, discarded: 0 };
    return { ...none, ...Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)])) };
  }

  async function drain(): Promise<void> {
    const open = `select exists (select from ${schema}.lanes where state = 'waiting')
      or exists (select from ${schema}.lanes where state = 'fed') as is_open`;
    for (;;) {
      checkOpen();
      if (!(await rowsOf<{ is_open: boolean }>(store, open))[0]?.is_open) return;
      await rest(drainEveryMs, closed.signal);
    }
  }

  function events({ after, signal }: { readonly after?: number; readonly signal?: AbortSignal } = {}) {
    if (after !== undefined && !(Number.isSafeInteger(after) && after >= 0)) {
      throw new TypeError('events: write the seq of an event, or 0, as after.');
    }
    const until = signal ? AbortSignal.any([signal, closed.signal]) : closed.signal;
    return readEvents(store, schema, { after, signal: until, onFailure: outage.fails });
  }

  async function closeAll(graceMs: number): Promise<void> {
    closed.abort();
    const lost = (await worker?.stop(graceMs)) ?? 0;
    if (lost > 0) warn(`The outbox closed while ${lost} updates were on their way: they will be parked.`);
    const ended = (async () => {
      await subscription.close();
      await boss.stop({ graceful: false, close: false });
      await store.close();
    })();
    await Promise.race([ended, rest(closeMs)]);
  }

  const close = ({ graceMs = 10_000 }: { readonly graceMs?: number } = {}) => (closing ??= closeAll(graceMs));
  return {
    enqueue,
    async work() {
      checkOpen();
      worker ??= new Worker({
        client: client as unknown as WorkerParts['client'],
        store,
        schema,
        queue,
        upkeep: tending,
        outage,
        presence,
        concurrency,
        localConcurrency: Math.min(localConcurrency, concurrency),
        countWorkers: () => countWorkers(store, schema),
        rate: options.rate,
        isAttending: () => isAttending,
        chooseForUnknown,
        onRejected,
        maxRetryDelayMs,
        random: Math.random,
        warn,
        onSettled,
      });
      await subscription.work();
      worker.start();
    },
    status: async (id) => (isUpdateId(id) ? (await select('where id = $1', [id]))[0] : undefined),
    history: (token, limit = 100) =>
      select('where token = $1 order by position desc limit $2', [token, limit]),
    listDecisions: (limit = 100) => select('where needs_decision order by position limit $1', [limit]),
    retry: (id) => retryUpdate(store, schema, id),
    discard: (id) => discardUpdate(store, schema, id),
    events,
    backlog: () => readBacklog(store, schema),
    counts,
    drain,
    close,
    [Symbol.asyncDispose]: close,
  };
}
