import { randomInt, randomUUID } from 'node:crypto';
import process from 'node:process';
import type { OrderUpdate } from '@orders/schema';
import { atMost } from './at-most.ts';
import { readBacklog } from './backlog.ts';
import { channelOf } from './channel.ts';
import { checkEnqueue } from './check-enqueue.ts';
import { checkCount, checkOutboxOptions } from './check-options.ts';
import type { Head } from './claim.ts';
import { countWorkers } from './count-workers.ts';
import { discardUpdate, retryUpdate } from './decide.ts';
import { insertUpdate, supersedeWith } from './enqueue.ts';
import { readEvents } from './events.ts';
import type { UnknownChoice } from './judge-result.ts';
import { laneQueue } from './lane-queue.ts';
import { openTables } from './open-tables.ts';
import { watchOutage } from './outage.ts';
import type { EnqueueOptions, Outbox } from './outbox.ts';
import { OutboxError } from './outbox-error.ts';
import type { OutboxOptions } from './outbox-options.ts';
import { watchReach } from './reach.ts';
import { reasonOf } from './reason-of.ts';
import { rest } from './rest.ts';
import { checkSchemaName } from './schema-name.ts';
import type { SettledUpdate } from './settled-update.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import { rowsOf, type Sql } from './store/sql.ts';
import { isUpdateId, readStatus, statusColumns, type UpdateRow, type UpdateStatus } from './update-status.ts';
import { type Upkeep, upkeepOf } from './upkeep.ts';
import type { Verdict } from './verdict.ts';
import { Worker, type WorkerParts } from './worker.ts';

/** How long a week is, in milliseconds. */
const week = 604_800_000;
/** How often it is looked whether anything is left, in milliseconds. */
const drainEveryMs = 20;
/** How long `onUnknown` may take to choose, in milliseconds. */
const chooseWithinMs = 60_000;
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
  checkOutboxOptions(options);
  const { client, store, latestWins = false, concurrency = 32, localConcurrency = 32 } = options;
  const {
    onUnknown = 'park',
    onRejected = 'continue',
    maxRetryDelayMs = 60_000,
    keepSettledMs = week,
  } = options;
  const emit = (message: string): void => process.emitWarning(message, 'OutboxWarning');
  const warn = (message: string): void => {
    try {
      (options.warn ?? emit)(message);
    } catch (error) {
      emit(`warn failed: ${reasonOf(error)}. It was told: ${message}`);
    }
  };
  const schema = checkSchemaName(options.schema ?? 'orders_outbox');
  const now = () => performance.now();
  const outage = watchOutage(warn, now);
  const reach = watchReach(warn, now);
  const presence = randomInt(1, 2 ** 31 - 1);
  const closed = new AbortController();

  let worker: Worker | undefined;
  let upkeep: Upkeep | undefined;
  let isAttending = false;
  let closing: Promise<void> | undefined;
  let isStoreClosed = false;
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

  /** A function that takes its time is not waited for; what it rejects with would end the process. */
  async function tellSettled(settled: SettledUpdate): Promise<void> {
    try {
      await options.onSettled?.(settled);
    } catch (error) {
      warn(`onSettled failed: ${reasonOf(error)}`);
    }
  }

  function checkOpen(): void {
    if (closing) throw new OutboxError('closed', 'The outbox is closed.');
  }

  /** The store, as long as it is open. */
  function opened(): OutboxStore {
    if (isStoreClosed) throw new OutboxError('closed', 'The outbox is closed.');
    return store;
  }

  // A lane that a transaction of the caller adds to is waited for: that must not keep the worker from the database.
  const waiting = atMost(() => (worker ? store.maxWaiting : Number.POSITIVE_INFINITY));

  async function enqueue(token: string, update: Update, options: EnqueueOptions = {}) {
    checkOpen();
    const { body } = client.prepareUpdateOrder(token, update);
    checkEnqueue(token, options);
    const { tx, id = randomUUID() } = options;
    const insert = (sql: Sql) =>
      (latestWins ? supersedeWith : insertUpdate)(sql, schema, { id, token, body });
    if (tx) await insert(tx);
    else if (latestWins) await waiting(token, () => opened().transaction(insert));
    else await waiting(token, () => insert({ query: opened().run }));
    return id;
  }

  async function select(where: string, values: readonly unknown[]): Promise<readonly UpdateStatus[]> {
    const text = `select ${statusColumns} from ${schema}.updates ${where}`;
    return (await rowsOf<UpdateRow>(opened(), text, values)).map(readStatus);
  }

  async function decideBy(change: typeof retryUpdate, id: string): Promise<UpdateStatus> {
    const known = isUpdateId(id) ? (await select('where id = $1', [id]))[0] : undefined;
    return waiting(known?.token ?? id, () => change(opened(), schema, id));
  }

  async function counts() {
    const rows = await rowsOf<{ state: UpdateStatus['state']; count: string }>(
      opened(),
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
    isStoreClosed = true;
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
        reach,
        chooseForUnknown,
        chooseWithinMs,
        onRejected,
        maxRetryDelayMs,
        random: Math.random,
        warn,
        onSettled: (settled) => void tellSettled(settled),
      });
      await subscription.work();
      worker.start();
    },
    status: async (id) => (isUpdateId(id) ? (await select('where id = $1', [id]))[0] : undefined),
    async history(token, limit = 100) {
      checkCount('history: limit', limit);
      return select('where token = $1 order by position desc limit $2', [token, limit]);
    },
    async listDecisions(limit = 100, { after } = {}) {
      checkCount('listDecisions: limit', limit);
      if (after !== undefined && !isUpdateId(after)) {
        throw new TypeError('listDecisions: write the id of an update as after.');
      }
      const place = 'coalesce(accepted_as, position)';
      return select(
        `where needs_decision and ${place} > coalesce((select ${place} from ${schema}.updates where id = $1), 0)
         order by ${place} limit $2`,
        [after ?? null, limit],
      );
    },
    retry: (id) => decideBy(retryUpdate, id),
    discard: (id) => decideBy(discardUpdate, id),
    events,
    backlog: async () => readBacklog(opened(), schema),
    counts,
    drain,
    close,
    [Symbol.asyncDispose]: close,
  };
}
