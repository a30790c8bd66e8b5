import type { OrdersClient, UnfinishedItems, UpdateOrdersItemResult } from '@orders/client';
import type { Journal, MarkedRow, RowState, Settled } from './journal.ts';
import { type ReadOptions, type Row, readRows } from './read-file.ts';
import {
  CommandError,
  describeError,
  formatCount,
  formatDuration,
  formatNumberOf,
  joinSentences,
  type Terminal,
} from './terminal.ts';

/** A run: what is sent, where to, and how. */
export interface Run {
  readonly file: string;
  readonly reading: ReadOptions;
  readonly journal: Journal;
  readonly client: OrdersClient;
  readonly terminal: Terminal;
  readonly concurrency: number;
  /** Whether later rows of an order wait behind a rejected one. */
  readonly stopOnRejected: boolean;
  /** Whether the file was sent although rows of it are invalid. */
  readonly skipInvalid: boolean;
}

/** How a run ended. */
export interface RunEnd {
  /** How many rows it sent. */
  readonly sent: number;
  /** Why it stopped early, if it did. */
  readonly stopped?: string | undefined;
}

/** A row that is sent. */
interface Item extends MarkedRow {
  readonly update: Row['update'];
  /** Resolves once the outcome of the row before it of its order is recorded. */
  readonly previous: Promise<void> | undefined;
  /** Lets the next row of its order go on. */
  readonly recorded: () => void;
  /** Whether the journal has it. */
  isNoted: boolean;
  /** Whether a byte of it may have left. */
  wasSent: boolean;
  /** Whether an attempt of this run had an unknown outcome. */
  mayBeApplied: boolean;
  /** Whether it waits for an earlier row of its order, or for the next run. */
  waits: boolean;
  /** How many rows had been refused with a 401 or 403 when it left. */
  refusalsBefore: number;
}

/** Sends the rows of a file that are not settled, each order in sequence, and records the outcome of each row. */
export async function sendRows(run: Run): Promise<RunEnd> {
  const { journal, client, terminal, concurrency } = run;
  const holdingStates: readonly RowState[] = run.stopOnRejected ? ['unknown', 'rejected'] : ['unknown'];
  /** Orders whose later rows wait: for a decision, or for the next run. */
  const held = new Set(journal.tokensIn(holdingStates));
  const sequence = createSequence();
  const failures = createFailureWatch(journal);
  const { rows } = journal.key;
  const counts: Counts = { rows, done: rows - countOpenRows(journal), ...noCounts, inFlight: new Set() };
  const stopping = new AbortController();
  let unfinished: Promise<UnfinishedItems<Item>> | undefined;

  /** Sends nothing more; the responses to what is in flight are waited for. */
  function stop(why: string): void {
    if (stopping.signal.aborted) return;
    stopping.abort(why);
    sequence.release();
    unfinished = updates.stop();
    // What was about to leave when the pause began ends, too.
    client.resume();
  }

  function stopAndThrow(error: unknown): never {
    stop(describeError(error));
    throw error;
  }

  async function* createItems(): AsyncGenerator<Item> {
    try {
      for await (const { row, token, update } of readOpenRows(run, stopping.signal)) {
        if (held.has(token)) {
          counts.waiting++;
          continue;
        }
        const orderId = typeof update.order_id === 'string' ? update.order_id : null;
        const flags = { isNoted: false, wasSent: false, mayBeApplied: false, waits: false };
        yield { row, token, update, orderId, ...sequence.add(token), ...flags, refusalsBefore: 0 };
      }
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      stop(error.message);
    }
  }

  function record(result: UpdateOrdersItemResult<Item>): void {
    const { item } = result;
    const settled = toSettled(result);
    const { state, token } = settled;
    // A row that did not come as far as the journal is sent by the next run, unless the client found it invalid.
    if (item.isNoted || state === 'invalid') journal.settle(settled);
    if (state === 'queued' || holdingStates.includes(state)) held.add(token);
    if (state === 'queued') counts.waiting++;
    else counts.done++;
    if (state === 'rejected' || state === 'unknown') counts[state]++;
    counts.recorded++;
    if (item.wasSent) counts.sent++;
    const problem = item.waits ? undefined : failures.add(settled, item.refusalsBefore);
    if (problem !== undefined) stop(problem);
    item.recorded();
  }

  const updates = client.updateOrders(createItems(), {
    concurrency,
    async beforeAttempt({ item }) {
      await item.previous;
      item.waits = stopping.signal.aborted || held.has(item.token);
      if (item.waits) throw new Error('it waits');
      if (item.isNoted) return;
      await journal.markReady(item).catch(stopAndThrow);
      item.isNoted = true;
    },
    beforeSend({ item }) {
      try {
        journal.markSending(item.row);
      } catch (error) {
        stopAndThrow(error);
      }
      item.wasSent = true;
      item.refusalsBefore = failures.refusals;
      counts.inFlight.add(item.row);
    },
    afterAttempt({ item, outcome, status }) {
      counts.inFlight.delete(item.row);
      const isRefused = outcome === 'not_sent' || status === 429;
      counts.delay = isRefused
        ? status === 429
          ? 'slowed down by a 429'
          : 'waiting to reach the service'
        : '';
      item.mayBeApplied ||= outcome === 'unknown';
      // It waits for another attempt, and was not applied: killed meanwhile, it is not unknown.
      if (!item.wasSent || !isRefused || item.mayBeApplied) return;
      try {
        journal.unmark(item.row);
      } catch (error) {
        stop(describeError(error));
      }
    },
  });
  const progress = await terminal.progress();
  terminal.catchInterrupt().addEventListener('abort', () => {
    progress.stop();
    terminal.note('Finishing what is in flight; a second Ctrl-C leaves it unknown.');
    stop('interrupted');
  });
  const draw = createProgressLine(counts, client);
  const timer = setInterval(() => progress.update(draw), 200);
  try {
    for await (const result of updates) record(result);
    for (const result of (await unfinished)?.results ?? []) record(result);
  } finally {
    clearInterval(timer);
    progress.stop();
  }
  const stopped = stopping.signal.reason ?? failures.end();
  // Only now that nothing is in flight: a row behind which a later one of its order was sent stays rejected.
  if (failures.refusedByKey.length > 0) {
    journal.flush();
    await journal.allOrNone(async () => {
      for (const row of failures.refusedByKey) journal.requeue(row);
    });
  }
  return { sent: counts.sent, stopped };
}

/** Rows whose states are read from the journal at a time. */
const windowSize = 1_000;

/**
 * Reads the rows that are not settled. Invalid ones are settled, if the run skips them.
 *
 * @throws CommandError when the file is no longer what was checked before the run.
 */
async function* readOpenRows(
  { file, reading, journal, skipInvalid }: Run,
  signal: AbortSignal,
): AsyncGenerator<Row> {
  let states: ReadonlyMap<number, RowState> = new Map();
  let windowEnd = 0;
  for await (const each of readRows(file, reading)) {
    if (signal.aborted) return;
    const { row, token, issues, isUnreadable = false } = each;
    if (row > windowEnd) {
      windowEnd = row + windowSize;
      states = journal.states(row, windowEnd);
    }
    if (!isUnreadable && (states.get(row) ?? 'queued') !== 'queued') continue;
    const [issue] = issues;
    if (!issue) yield each;
    else if (skipInvalid && !isUnreadable) {
      const { path, code, message } = issue;
      journal.settle({ row, token, state: 'invalid', code, message: `${path}: ${message}` });
    } else {
      // The check of the whole file found none, so it was read in another way: the row must not stay invalid.
      const where = `row ${row}${issue.path && `, ${issue.path}`}`;
      const advice = 'Use the --schema, --config, orders.json and --skip-invalid of the first run';
      throw new CommandError(`${joinSentences(`${where}: ${issue.message}`)} ${advice}`);
    }
  }
}

/** Keeps the rows of each order in sequence: each waits until the outcome of the one before it is recorded. */
function createSequence() {
  /** Of each order, the row that was read last and is not recorded. */
  const last = new Map<string, Promise<void>>();
  const waiting = new Set<() => void>();
  return {
    add(token: string): Pick<Item, 'previous' | 'recorded'> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const previous = last.get(token);
      last.set(token, promise);
      waiting.add(resolve);
      const recorded = (): void => {
        if (last.get(token) === promise) last.delete(token);
        waiting.delete(resolve);
        resolve();
      };
      return { previous, recorded };
    },
    /** Ends all waits. */
    release(): void {
      for (const resolve of waiting) resolve();
    },
  };
}

/** So many failures in a row, each of another order, are those of the service. */
const failuresInARow = 5;

/** Finds out when going on would only fail: the service is down, or refuses the key. */
function createFailureWatch(journal: Journal) {
  let failures = 0;
  /** How many rows the next run sends again, and why the last of them. */
  let unsent = 0;
  let whyUnsent: Settled['message'];
  /** Rows with a 403 in the run before, which may be about their orders: alone they stop no other run. */
  const refusedBefore = new Set<number>();
  for (const { row, status } of journal.list(['queued'])) if (status === 403) refusedBefore.add(row);
  let hasApplied = (journal.count().applied ?? 0) > 0;
  /** How many rows had a 401 or 403. */
  let refusals = 0;
  /** Those of them since when no row has shown that the key works; `isPast` after a row that had left before. */
  let refused: (Settled & { readonly refusal: number; readonly isPast: boolean })[] = [];
  let isKeyRefused = false;

  /** Whether rows were refused for the key: a 403 may be about one order. */
  function areOfKey(rows: readonly Settled[]): boolean {
    return (
      rows.length > 1 && (rows.at(-1)?.status === 401 || new Set(rows.map(({ token }) => token)).size > 1)
    );
  }

  function whyKeyIsRefused(): string | undefined {
    return isKeyRefused ? `the service refuses the key. ${refused.at(-1)?.message}` : undefined;
  }

  return {
    /** How many rows had a 401 or 403. */
    get refusals(): number {
      return refusals;
    },
    /** Takes an outcome and how many refusals there were when the row left, and returns why going on would only fail. */
    add(settled: Settled, refusalsBefore: number): string | undefined {
      const { state, status, message } = settled;
      if (state === 'rejected' && (status === 401 || status === 403)) {
        refused.push({ ...settled, refusal: ++refusals, isPast: false });
        isKeyRefused ||= areOfKey(
          refused.filter((each) =>
            each.status === 401 ? status === 401 || !each.isPast : !refusedBefore.has(each.row),
          ),
        );
        if (isKeyRefused) return whyKeyIsRefused();
      } else if (state === 'unknown' || state === 'queued') {
        failures++;
        if (state === 'queued') {
          unsent++;
          whyUnsent = message;
        }
      } else if (state === 'applied' || state === 'rejected') {
        failures = 0;
        hasApplied ||= state === 'applied';
        // What left before a 401 came proves nothing about the key since; a 403 may be about one order.
        if (!isKeyRefused)
          refused = refused
            .filter((each) => each.status === 401 && each.refusal > refusalsBefore)
            .map((each) => ({ ...each, isPast: true }));
      }
      if (failures < failuresInARow) return undefined;
      return `${failuresInARow} updates in a row failed. ${message}`;
    },
    /** Why rows are left for the next run, if the run came to its end. */
    end(): string | undefined {
      // Nothing shows that the key is right.
      if (!hasApplied) isKeyRefused ||= areOfKey(refused);
      return (
        whyKeyIsRefused() ??
        (unsent > 0 ? `${formatNumberOf(unsent, 'update')} failed. ${whyUnsent}` : undefined)
      );
    },
    /** Rows that were refused for the key, not for what they hold. */
    get refusedByKey(): readonly number[] {
      return isKeyRefused ? refused.map(({ row }) => row) : [];
    },
  };
}

function toSettled({ item, ...result }: UpdateOrdersItemResult<Item>): Settled {
  const { row, token } = item;
  const requestId = result.receipt.toJSON().attempts.at(-1)?.requestId ?? null;
  if (result.ok) return { row, token, state: 'applied', status: result.status, requestId };
  const { error } = result;
  const { outcome, code, message, retryable } = error;
  const status = 'status' in error ? error.status : null;
  // A rejection that ended the call while it waited for another attempt is that of a 429.
  const isSentAgain =
    outcome === 'not_sent' || (outcome === 'rejected' && (retryable || code !== 'http_error'));
  const state = code === 'validation_error' ? 'invalid' : isSentAgain ? 'queued' : outcome;
  return { row, token, state, status, code, message, requestId };
}

/** Rows that are in no final state. */
export function countOpenRows(journal: Journal): number {
  const { queued = 0, ready = 0, sending = 0, ...settled } = journal.count();
  return journal.key.rows - Object.values(settled).reduce((sum, count) => sum + count, 0);
}

/** What the line of progress shows. */
interface Counts {
  readonly rows: number;
  /** Rows in a final state. */
  done: number;
  sent: number;
  /** Rows whose outcome this run recorded. */
  recorded: number;
  rejected: number;
  unknown: number;
  /** Rows that wait behind another, or for the next run. */
  waiting: number;
  /** Rows that were sent, and have no response yet. */
  readonly inFlight: Set<number>;
  /** Why the last attempt is made again later; empty if it is not. */
  delay: string;
}

const noCounts = { sent: 0, recorded: 0, rejected: 0, unknown: 0, waiting: 0, delay: '' };

/** Draws how far a run is, how fast, and what it waits for. */
function createProgressLine(counts: Counts, client: OrdersClient): () => string {
  const rateOf = createRate();
  return () => {
    const { rows, done, recorded, rejected, unknown, waiting, inFlight, delay } = counts;
    const paused = client.pausedUntil;
    const perSecond = rateOf(recorded);
    const line = [
      `${formatCount(done)} of ${formatNumberOf(rows, 'row')} (${Math.floor((done / rows) * 100)} %)`,
    ];
    if (paused) line.push(`paused for ${formatDuration(paused.getTime() - Date.now())} by a 429`);
    else if (perSecond > 0) line.push(`${Math.round(perSecond)}/s`);
    else if (inFlight.size > 0) line.push(`waiting for ${formatNumberOf(inFlight.size, 'response')}`);
    else if (delay !== '') line.push(delay);
    if (rejected > 0) line.push(`${formatCount(rejected)} rejected`);
    if (unknown > 0) line.push(`${formatCount(unknown)} unknown`);
    if (perSecond > 0 && !paused)
      line.push(`${formatDuration(((rows - done - waiting) / perSecond) * 1_000)} left`);
    return line.join('  ');
  };
}

/** How many rows a second had an outcome in the last ten seconds. */
function createRate(): (recorded: number) => number {
  const samples: { readonly at: number; readonly recorded: number }[] = [];
  return (recorded) => {
    const at = performance.now();
    samples.push({ at, recorded });
    while (samples.length > 2 && at - (samples[0]?.at ?? at) > 10_000) samples.shift();
    const [first] = samples;
    return first && at > first.at ? ((recorded - first.recorded) / (at - first.at)) * 1_000 : 0;
  };
}
