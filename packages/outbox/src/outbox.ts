import process from 'node:process';
import { createOrdersClient } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { type Decision, discardUpdate, purgeOrder, resolveUpdate, retryUpdate } from './decide.ts';
import {
  checkListSize,
  checkTransaction,
  checkTx,
  type EnqueueAllOptions,
  type EnqueueItem,
  type EnqueueOptions,
  insertUpdate,
  insertUpdates,
  type NewUpdate,
  toNewUpdate,
} from './enqueue.ts';
import { databaseError, describeError, OutboxError } from './errors.ts';
import { guarded } from './guarded.ts';
import { handling, withinHandler } from './handling.ts';
import { usualStallMs } from './held.ts';
import { forgetWorkers, liftPause } from './limits.ts';
import { checkCount, checkMs, checkText, type OutboxOptions, resolveOptions } from './options.ts';
import { OrderCalls } from './order-calls.ts';
import { withOwnParsers } from './parsers.ts';
import { LaneQueue } from './queue.ts';
import { type Changes, type ChangesOptions, type ListOptions, type OutboxStatus, readings } from './read.ts';
import { reviewCopy, reviewRestored } from './restored.ts';
import { checkDatabase, checkInstalled, checkSchemaName, migrateSchema, readInstalled } from './schema.ts';
import { type OutboxStore, quoteName, type Sql, type Subscription } from './store.ts';
import { createSweeper } from './sweep.ts';
import { observeBacklog } from './telemetry.ts';
import { isStorable, type UpdateDetails, type UpdateState, type UpdateStatus } from './updates.ts';
import { Worker } from './worker.ts';

/** Stores order updates, so that they survive their process, and sends them in sequence per order. */
export interface Outbox<Update extends OrderUpdate = OrderUpdate> {
  /**
   * Checks an update and accepts it: from then on it is applied, rejected, discarded, or waits for a person. Resolves with
   * its id.
   *
   * @throws ValidationError with the same issues as the client; nothing is accepted.
   * @throws TypeError when an option is wrong, or the token longer than 2,600 bytes, or the update
   *   than 4 MiB of JSON; nothing is accepted.
   * @throws OutboxError `duplicate_id`, `not_a_transaction`, `closed`, or, without `tx`, `order_locked` when another
   *   transaction held the order for 3 s; nothing is accepted. With `database_unusable` it may be accepted all the same, where
   *   the response to the commit was lost, and the message says so: repeat the call with the same `id`, and `duplicate_id`
   *   means that it was.
   */
  enqueue(token: string, update: Update, options?: EnqueueOptions): Promise<string>;
  /**
   * Accepts many updates, all or none, in two statements; later ones of an order are behind earlier ones. Resolves with
   * their ids, in the order given.
   *
   * @throws as `enqueue` does; messages name the place of an update that is refused, such as `updates[3]`. `duplicate_id` has
   *   the `ids` that are known already: without those, the call can be repeated. Together, updates may have up to 64 MiB.
   */
  enqueueAll(
    updates: readonly EnqueueItem<Update>[],
    options?: EnqueueAllOptions,
  ): Promise<readonly string[]>;
  /**
   * Sends accepted updates in this process from now on; further calls do nothing. Nothing is sent before an echo has shown
   * that the service accepts the key.
   *
   * @throws TypeError when the outbox was created without a client.
   */
  start(): Promise<void>;
  /** One update, with its body while it may still be sent; `undefined` when the outbox does not know it, or no longer. */
  get(id: string): Promise<UpdateDetails | undefined>;
  /** Updates, sorted by the time of the call that enqueued them. */
  list(options?: ListOptions): Promise<readonly UpdateStatus[]>;
  /** The latest updates of an order, newest first. @default limit 100 */
  history(token: string, limit?: number): Promise<readonly UpdateStatus[]>;
  /** The backlog, what holds it up, and the workers. It costs little, however many updates were settled. */
  status(): Promise<OutboxStatus>;
  /** The number of updates in each state. It counts every row: to poll, use `status`. */
  counts(): Promise<Readonly<Record<UpdateState, number>>>;
  /**
   * The updates that changed since a cursor, in sequence, each in its latest state: an update that changes twice between
   * two calls is returned once. An empty page means that nothing is new: call it again later with the same cursor, from
   * any process. Deleted updates are not reported. Without a cursor it starts with the oldest update that is kept, with
   * `after: 'now'` at the end. A transaction that is open anywhere on the server delays later changes until it ends. A
   * restored backup makes cursors invalid.
   */
  changes(options?: ChangesOptions): Promise<Changes>;
  /**
   * Marks an update that needs review or was rejected as applied, because a person found that it was.
   *
   * @throws OutboxError `nothing_to_decide` also while earlier updates of its order are to be sent, which would undo it;
   *   `unknown_update`, `closed` or `database_unusable`
   */
  resolve(id: string, outcome: 'applied', decision?: Decision): Promise<UpdateStatus>;
  /**
   * Sends an update again that needs review or was rejected: in its place, or behind those of its order where a later one
   * may have been applied since. Several of an order keep their order when they are sent again oldest first.
   *
   * @throws OutboxError as `resolve` does
   */
  retry(id: string, decision?: Decision): Promise<UpdateStatus>;
  /** Gives up an update that is queued, needs review or was rejected. @throws OutboxError as `resolve` does */
  discard(id: string, decision?: Decision): Promise<UpdateStatus>;
  /**
   * Deletes all that is stored of an order, also what is queued, and waits up to 30 s for an update that is being sent.
   * Resolves with the number of updates.
   *
   * @throws OutboxError `nothing_to_decide` when that update is still being sent: all others are deleted by then; `closed`,
   *   `order_locked` or `database_unusable`
   */
  purge(options: { readonly token: string }): Promise<number>;
  /** Ends the pause after a 429, in all processes. */
  resume(): Promise<void>;
  /**
   * Sends what is due and resolves: for a cron job, or before a shutdown. It does not wait for updates that are delayed,
   * paused or need review. It needs no `start`.
   *
   * @param options After `maxMs` it begins nothing more, and waits only for what is in flight, as long as the client does, 15 minutes at most.
   * @returns what keeps this process from sending the rest, such as a service that does not respond.
   * @throws TypeError when the outbox was created without a client.
   */
  drain(options?: { readonly maxMs?: number | undefined }): Promise<Drained>;
  /**
   * Sends everything to review that is open (`restored`), updates and events of the inbox: after a backup was restored, each
   * may have been done since. Call it before `start`, and before any other process starts. A copied or restored folder is
   * noticed by itself when it is opened, except where its files keep their numbers.
   * @returns how many there were.
   * @throws OutboxError `closed` or `database_unusable`
   */
  restored(): Promise<number>;
  /**
   * Stops sending, gives updates in flight `graceMs` milliseconds to end, aborts the rest, stores the outcomes, and closes
   * the store: within 10 s more, even where its database is away. An update whose outcome could not be stored needs review
   * later, as after a crash.
   * @default graceMs 10_000
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a `drain` leaves. */
export interface Drained {
  /** Why the rest cannot be sent now, in one sentence; `undefined` where all that was due was sent, or `maxMs` was over while it went on. */
  readonly problem: string | undefined;
}

/** How long a status may take, in milliseconds. */
const statusMs = 10_000;
/** How long the store may take to close, in milliseconds. */
const closeMs = 5_000;
/** How long `purge` waits for an update that is being sent, and how often it looks, in milliseconds. */
const purging = { withinMs: 30_000, everyMs: 100 };
/**
 * How often the end of a drain looks whether its worker is stuck, in milliseconds, how often at most, since a client of the
 * caller may never end a call, and at how many looks in a row it gives the worker up.
 */
const finishing = { everyMs: 1_000, looks: 900, stuckLooks: 10 };
/** How long `start` and `drain` wait for the end of an earlier drain before they say so, in milliseconds. */
const quietMs = 2_000;
const drainEnds = 'An earlier drain() waits for what it has in flight, and nothing else is sent until then.';
/** The longest that a timer can wait, in milliseconds. */
const longestMs = 2 ** 31 - 1;

/**
 * Makes the tables of an outbox and of its queue, or brings them up to date; the store stays open. Only this runs
 * migrations: at a deployment, before the processes that use them.
 *
 * @throws OutboxError `old_database`, `database_too_new` or `database_unusable`
 */
export async function migrate(
  store: OutboxStore,
  { databaseSchema = 'orders_outbox' }: { readonly databaseSchema?: string | undefined } = {},
): Promise<void> {
  const name = checkSchemaName(databaseSchema);
  const queue = new LaneQueue(store, name, { onError: () => {} });
  try {
    await checkDatabase(store, name);
    await migrateSchema(store, name, queue, { warn: warnOfProcess, stallMs: usualStallMs });
  } catch (error) {
    throw databaseError(store.place, name, error);
  }
}

/**
 * Opens an outbox. It sends nothing until `start()`. When it rejects with an `OutboxError`, the store is closed.
 *
 * @throws TypeError when an option is wrong.
 * @throws OutboxError `not_migrated`, `old_database`, `database_too_new` or `database_unusable`
 */
export function createOutbox<Update extends OrderUpdate = OrderUpdate>(
  options: OutboxOptions<Update>,
): Promise<Outbox<Update>> {
  return openOutbox(options, usualStallMs);
}

/** The same, with another time after which what is due and does not move counts as stalled, in milliseconds. */
export async function openOutbox<Update extends OrderUpdate>(
  options: OutboxOptions<Update>,
  stallMs: number,
): Promise<Outbox<Update>> {
  const resolved = resolveOptions(options as unknown as OutboxOptions);
  const { store, databaseSchema, latestWins } = resolved;
  const schema = quoteName(databaseSchema);
  const warn = guarded(resolved.warn ?? warnOfProcess);
  const log = guarded(resolved.log ?? (() => {}));
  // Without a client, one that is never called checks updates in the same way.
  const checker =
    resolved.client ??
    createOrdersClient({
      baseUrl: 'https://localhost',
      apiKey: () => '',
      ...(resolved.schema && { schema: resolved.schema }),
    });
  const queue = new LaneQueue(store, databaseSchema, {
    onError: (error) => warn(`The queue of the outbox failed: ${describeError(error)}`),
    warn,
  });
  let worker: Worker | undefined;
  let subscription: Subscription | undefined;
  let closing: Promise<void> | undefined;
  let isStoreClosed = false;
  let unobserve = (): void => {};
  const sql: Sql = {
    query: (text, values) => usable(async () => opened().query(text, values)),
  };
  const parts = { schema, queue, latestWins };
  const read = readings(sql, schema, { stallMs, failure: () => worker?.failure });

  try {
    await checkDatabase(store, databaseSchema);
    const {
      migrate: wanted = store.backend === 'pglite' ||
        (await readInstalled(store, databaseSchema)) === 'empty',
    } = resolved;
    if (wanted) await migrateSchema(store, databaseSchema, queue, { warn, stallMs });
    else await checkInstalled(store, databaseSchema, queue);
    await reviewCopy(store, databaseSchema, warn);
    await queue.start();
    // A process that is alone with its database holds nothing yet, so whatever is held was left behind.
    if (store.backend === 'pglite') {
      await queue.releaseAll();
      await forgetWorkers(store, schema);
    }
    unobserve = observeBacklog(databaseSchema, status);
  } catch (error) {
    await queue.stop().catch(() => {});
    await store.close().catch(() => {});
    throw databaseError(store.place, databaseSchema, error);
  }

  /** The store, as long as it is open. */
  function opened(): OutboxStore {
    if (isStoreClosed) throw new OutboxError('closed', 'The outbox is closed.');
    return store;
  }

  /** The store as a worker has it, which may still run when it has been given up. */
  const whileOpen: OutboxStore = {
    ...store,
    executeSql: async (text, values) => opened().executeSql(text, values),
    transaction: async (run, options) => opened().transaction(run, options),
  };

  function checkOpen(): void {
    if (closing) throw new OutboxError('closed', 'The outbox is closed.');
  }

  /** Runs what needs the database. @throws OutboxError `database_unusable` where that fails */
  async function usable<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw databaseError(store.place, databaseSchema, error);
    }
  }

  const orderCalls = new OrderCalls();
  /** `OrderCalls` repeats it where it cannot have a lock soon. */
  const repeated = { isRepeated: true };
  const inSequence = <T>(tokens: readonly string[], run: () => Promise<T>): Promise<T> =>
    usable(() => orderCalls.run(new Set(tokens), run));

  async function enqueue(token: string, update: Update, own: EnqueueOptions = {}): Promise<string> {
    checkOpen();
    const { body } = checker.prepareUpdateOrder(token, update as OrderUpdate);
    checkOptions('enqueue', own, ['tx', 'id', 'traceparent']);
    const added = toNewUpdate(token, body, own);
    checkTx(own.tx);
    await accept(own.tx, [added], (tx) => insertUpdate(tx, parts, added));
    return added.id;
  }

  async function enqueueAll(
    updates: readonly EnqueueItem<Update>[],
    own: EnqueueAllOptions = {},
  ): Promise<readonly string[]> {
    checkOpen();
    if (!Array.isArray(updates))
      throw new TypeError('enqueueAll: pass a list of updates, such as [{ token, update }].');
    checkOptions('enqueueAll', own, ['tx']);
    checkTx(own.tx);
    const places = new Map<string, number>();
    // `map` would leave out the holes of a list.
    const added = Array.from(updates, (item: EnqueueItem<Update>, place): NewUpdate => {
      try {
        if (!item) throw new TypeError('pass { token, update }.');
        checkOptions('enqueueAll', item, ['token', 'update', 'id', 'traceparent']);
        const { body } = checker.prepareUpdateOrder(item.token, item.update as OrderUpdate);
        const update = toNewUpdate(item.token, body, item);
        const first = places.get(update.id);
        if (first !== undefined) throw new TypeError(`write another id: updates[${first}] has it too.`);
        places.set(update.id, place);
        return update;
      } catch (error) {
        if (error instanceof Error)
          error.message = `enqueueAll: updates[${place}]: ${error.message.replace(/^enqueue(All)?: /, '')}`;
        throw error;
      }
    });
    checkListSize(added);
    if (added.length > 0) await accept(own.tx, added, (tx) => insertUpdates(tx, parts, added));
    return added.map(({ id }) => id);
  }

  /** Stores updates in the transaction of the caller, or in one of ours. */
  async function accept(
    tx: Sql | undefined,
    added: readonly NewUpdate[],
    insert: (tx: Sql) => Promise<void>,
  ): Promise<void> {
    if (!tx && handling.getStore()?.hasReturned === false)
      throw new TypeError(
        'enqueue: within a handler of the inbox, pass its { tx }: the update would not commit with the event.',
      );
    if (tx) {
      await checkTransaction(tx);
      return insert(withOwnParsers(tx));
    }
    let isCommitting = false;
    const tokens = added.map(({ token }) => token);
    await inSequence(tokens, () =>
      opened().transaction(async (mine) => {
        isCommitting = false;
        await insert(mine);
        isCommitting = true;
      }, repeated),
    ).catch((error: OutboxError) => {
      if (!isCommitting) throw error;
      const ids = added.map(({ id }) => id);
      const subject = ids.length === 1 ? `the update ${ids[0]} was` : `these ${ids.length} updates were`;
      const message = `${error.message} Whether ${subject} accepted is unknown: repeat the call with the same id, and duplicate_id means yes; the ids are in error.ids.`;
      throw new OutboxError(error.code, message, { cause: error.cause, ids });
    });
    // Those of other processes are woken by the notification that `insert` sends.
    worker?.wake();
  }

  async function decideBy(
    name: 'resolve' | 'retry' | 'discard',
    id: string,
    decision: Decision = {},
  ): Promise<UpdateStatus> {
    checkText(name, 'id', id);
    const change = { resolve: resolveUpdate, retry: retryUpdate, discard: discardUpdate }[name];
    checkOptions('decision', decision, ['by', 'note']);
    const known = await read.get(id);
    const status = await inSequence([known?.token ?? id], () =>
      opened().transaction((tx) => change({ tx, schema, queue }, id, decision), repeated),
    );
    worker?.wake();
    return status;
  }

  const lifted = {};

  async function createWorker(): Promise<Worker> {
    const { client } = resolved;
    if (!client)
      throw new TypeError('start and drain: create the outbox with a client, which sends the updates.');
    subscription ??= await store.listen(queue.channel, () => worker?.wake());
    // `close` does not wait for it for long.
    if (isStoreClosed) await subscription.close();
    const mode = subscription.isListening
      ? 'it listens for notifications'
      : `it polls every second, since ${subscription.reason || 'it cannot listen now'}`;
    log(`The outbox works on ${store.place}: ${mode}.`);
    return new Worker({
      ...resolved,
      store: whileOpen,
      rate: resolved.rate,
      client,
      schema,
      queue,
      stallMs,
      subscription,
      lifted,
      sweeper: createSweeper({ ...resolved, store: whileOpen, schema, queue }),
      random: Math.random,
      warn,
      onSettled: guarded(resolved.onSettled ?? (() => {}), (reason) => warn(`onSettled failed: ${reason}`)),
    });
  }

  let starting: Promise<Worker> | undefined;
  /** The end of a worker that only drains needed. */
  let ended: Promise<Drained> = Promise.resolve({ problem: undefined });
  const notResponded = `${store.place} has not responded.`;
  /** What needs the worker: `start` for good, and each drain until it ends. */
  let users = 0;

  /** Waits for the end of an earlier drain, and says so. Resolves with whether it came in time. */
  async function isDrainOver(maxMs: number): Promise<boolean> {
    if ((await within(Math.min(quietMs, maxMs), ended)) !== undefined) return true;
    if (maxMs <= quietMs) return false;
    warn(drainEnds);
    return (await within(maxMs - quietMs, ended)) !== undefined;
  }

  async function useWorker(): Promise<Worker> {
    checkOpen();
    users++;
    starting ??= (async () => {
      await isDrainOver(longestMs);
      checkOpen();
      return createWorker();
    })();
    const mine = await starting.catch((error: unknown) => {
      starting = undefined;
      users--;
      throw error;
    });
    checkOpen();
    worker = mine;
    mine.start();
    return mine;
  }

  /** Resolves with how many outcomes could not be stored. */
  async function stopWorker(mine: Worker, graceMs: number): Promise<number> {
    const lost = await mine.stop(graceMs);
    // Another stop of it may have said so.
    if (lost > 0 && worker === mine) warn(lostOutcomes(lost));
    if (worker === mine) worker = undefined;
    return lost;
  }

  /** Stops a worker once what is in flight has ended by the limits of the client, and is stored where that can be. */
  async function finishWorker(mine: Worker): Promise<Drained> {
    const finished = mine.stop(longestMs);
    let stuck = 0;
    for (let looks = 0; looks < finishing.looks && stuck < finishing.stuckLooks; looks++) {
      if ((await within(finishing.everyMs, finished)) !== undefined) break;
      stuck = mine.isStuck ? stuck + 1 : 0;
    }
    const lost = await stopWorker(mine, 0);
    if (lost > 0) return { problem: lostOutcomes(lost) };
    return { problem: stuck === finishing.stuckLooks ? (mine.failure ?? notResponded) : undefined };
  }

  /** Gives a worker back: the last that needs it ends it. */
  async function releaseWorker(mine: Worker): Promise<Drained> {
    users--;
    if (users > 0) return { problem: undefined };
    starting = undefined;
    ended = finishWorker(mine);
    return ended;
  }

  async function drain(options: { readonly maxMs?: number | undefined } = {}): Promise<Drained> {
    checkOpen();
    checkOptions('drain', options, ['maxMs']);
    const { maxMs = longestMs } = options;
    checkMs('drain: maxMs', maxMs, longestMs);
    const endsAt = performance.now() + maxMs;
    const leftMs = (): number => Math.max(0, endsAt - performance.now());
    if (!(await isDrainOver(maxMs))) return { problem: drainEnds };
    const using = useWorker();
    const mine = await within(leftMs(), using);
    if (!mine) {
      // It ends once it has started.
      void using.then(releaseWorker).catch(() => {});
      return { problem: `Nothing was sent within ${maxMs} ms: the worker waits for ${store.place}.` };
    }
    const problem = (await within(leftMs(), mine.whenIdle())) ?? mine.problem;
    checkOpen();
    const end = await releaseWorker(mine);
    return { problem: end.problem ?? problem };
  }

  async function purge(options: { readonly token: string }): Promise<number> {
    checkOptions('purge', options, ['token']);
    checkText('purge', 'token', options?.token);
    const { token } = options;
    if (!isStorable(token)) return 0;
    const endsAt = performance.now() + purging.withinMs;
    for (let count = 0; ; ) {
      const { deleted, isEmpty } = await inSequence([token], () =>
        opened().transaction((tx) => purgeOrder({ tx, schema, queue }, token), repeated),
      );
      count += deleted;
      if (isEmpty) return count;
      if (performance.now() > endsAt) {
        const message =
          'An update of this order is still being sent; all others are deleted. Repeat the call once it has ended.';
        throw new OutboxError('nothing_to_decide', message);
      }
      await new Promise((resolve) => setTimeout(resolve, purging.everyMs));
    }
  }

  async function status(): Promise<OutboxStatus> {
    const found = await within(statusMs, read.status());
    if (found) return found;
    const message = `${store.place} cannot be used: it did not respond within ${statusMs / 1_000} s.`;
    throw new OutboxError('database_unusable', message);
  }

  async function closeAll(graceMs: number): Promise<void> {
    unobserve();
    const stopped = worker && stopWorker(worker, graceMs);
    // Calls that have begun may wait for a connection of the caller's pool.
    const started = starting && within(closeMs, starting).catch(() => {});
    await Promise.all([stopped, within(graceMs + closeMs, orderCalls.whenSettled()), started]);
    isStoreClosed = true;
    const closed = (async () => {
      await subscription?.close();
      await queue.stop();
      await store.close();
    })();
    await within(closeMs, closed);
  }

  async function close(options: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    checkOptions('close', options, ['graceMs']);
    const { graceMs = 10_000 } = options;
    checkMs('close: graceMs', graceMs, Number.POSITIVE_INFINITY);
    closing ??= closeAll(graceMs);
    await closing;
  }

  return {
    enqueue: (...call) => withinHandler(enqueue(...call)),
    enqueueAll: (...call) => withinHandler(enqueueAll(...call)),
    async start() {
      await useWorker();
    },
    async get(id) {
      checkText('get', 'id', id);
      return read.get(id);
    },
    list: read.list,
    history: async (token, limit = 100) => {
      checkText('history', 'token', token);
      checkCount('history: limit', limit);
      return read.history(token, limit);
    },
    status,
    counts: read.counts,
    changes: read.changes,
    async resolve(id, outcome, decision) {
      if (outcome !== 'applied') throw new TypeError("resolve: write 'applied'; discard gives an update up.");
      return decideBy('resolve', id, decision);
    },
    retry: (id, decision) => decideBy('retry', id, decision),
    discard: (id, decision) => decideBy('discard', id, decision),
    purge,
    async resume() {
      await liftPause(sql, schema);
      resolved.client?.resume?.();
      await sql.query('select pg_notify($1, $2)', [queue.channel, '']);
      worker?.wake();
    },
    drain,
    async restored() {
      checkOpen();
      return usable(() => opened().transaction((tx) => reviewRestored(tx, schema)));
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

const warnOfProcess = (message: string): void => process.emitWarning(message, 'OutboxWarning');

const lostOutcomes = (count: number): string =>
  `The worker stopped before the outcomes of all updates could be stored: ${count} will need review.`;

/** Waits for a promise, but no longer than so many milliseconds. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => over.resolve(undefined), Math.min(ms, longestMs));
  return Promise.race([work, over.promise]).finally(() => clearTimeout(timer));
}
