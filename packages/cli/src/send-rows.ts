import { createHash } from 'node:crypto';
import type { OrdersClient, Receipt, UpdateOrdersItemResult } from '@orders/client';
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

/** A row in flight, and the promise of its outcome. */
interface Item extends MarkedRow {
  readonly update: Row['update'];
  readonly previous: Promise<void> | undefined;
  readonly settled: () => void;
  /** Whether the journal has it. */
  isNoted: boolean;
  /** Whether a byte of it may have left. */
  wasSent: boolean;
}

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

/** Rows whose states are read from the journal at a time. */
const windowSize = 1_000;

/** How a run ended. */
export interface RunEnd {
  /** How many rows it sent. */
  readonly sent: number;
  /** Why it stopped early, if it did. */
  readonly stopped?: string | undefined;
}

/** Sends the rows that nothing holds back. */
export async function sendRows(run: Run): Promise<RunEnd> {
  const { file, reading, journal, client, terminal, concurrency } = run;
  const { rows } = journal.key;
  const holding: readonly RowState[] = run.stopOnRejected ? ['unknown', 'rejected'] : ['unknown'];
  /** Orders whose later rows wait: for a decision, or for the next run. */
  const held = new Set(journal.tokensIn(holding));
  const tails = new Map<string, Promise<void>>();
  const progress = await terminal.progress();
  const interrupt = terminal.catchInterrupt();
  const hash = createHash('sha256');
  const counts = { done: rows - openRows(journal), sent: 0, taken: 0, rejected: 0, unknown: 0, waiting: 0 };
  /** Ends each wait, so that it sees that the run stops: of a row for the one before it, and of the loop for a result. */
  const wakes = new Set<() => void>();
  /** Rows that were sent, and have no response yet. */
  const inFlight = new Set<number>();
  /** Why the last attempt is made again later, if it is. */
  let delay: string | undefined;
  let stopped: string | undefined;

  const stop = (why: string): void => {
    stopped ??= why;
    for (const wake of wakes) wake();
    // Those that wait for the end of a pause see it, too.
    client.resume();
  };
  const stopAndThrow = (error: unknown): never => {
    stop(describeError(error));
    throw error;
  };
  interrupt.addEventListener('abort', () => {
    progress.stop();
    terminal.note('Finishing what is in flight; a second Ctrl-C leaves it unknown.');
    stop('interrupted');
  });

  async function* source(): AsyncGenerator<Item> {
    try {
      yield* readItems();
    } catch (error) {
      // The file was read to its end before, and can be read no more.
      if (!(error instanceof CommandError)) throw error;
      stop(error.message);
    }
  }

  async function* readItems(): AsyncGenerator<Item> {
    let states: ReturnType<Journal['states']> = new Map();
    let until = 0;
    for await (const { row, token, update, issues, isUnreadable } of readRows(file, {
      ...reading,
      onChunk: (chunk) => hash.update(chunk),
    })) {
      if (stopped !== undefined) return;
      // It was read to its end before.
      if (isUnreadable)
        return stop(`${file} was changed while it was sent: row ${row}: ${issues[0]?.message}`);
      if (row > until) {
        until = row + windowSize;
        states = journal.states(row, until);
      }
      const state = states.get(row);
      if (state !== undefined && state !== 'queued') continue;
      if (issues.length > 0) {
        const [{ path, message, code } = { path: '', message: '', code: '' }] = issues;
        // The check of the whole file found none, so it was read in another way: the row must not stay invalid.
        if (!run.skipInvalid) {
          const advice = 'Use the --schema or orders.json of the first run, or --skip-invalid';
          return stop(`${joinSentences(`row ${row}${path && `, ${path}`}: ${message}`)} ${advice}`);
        }
        journal.settle({ row, token, state: 'invalid', code, message: `${path}: ${message}` });
        continue;
      }
      if (held.has(token)) {
        counts.waiting++;
        continue;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const previous = tails.get(token);
      tails.set(token, promise);
      wakes.add(resolve);
      yield {
        token,
        update,
        row,
        orderId: typeof update.order_id === 'string' ? update.order_id : null,
        digest: digestOf({ token, update }),
        previous,
        isNoted: false,
        wasSent: false,
        settled() {
          if (tails.get(token) === promise) tails.delete(token);
          wakes.delete(resolve);
          resolve();
        },
      };
    }
    if (stopped === undefined && hash.digest('hex') !== journal.key.sha256)
      stop(`${file} was changed while it was sent`);
  }

  const rate = createRate();
  const draw = (): string => {
    const perSecond = rate(counts.taken);
    const paused = client.pausedUntil;
    const isWaiting = !paused && perSecond === 0;
    const leftMs = ((rows - counts.done - counts.waiting) / perSecond) * 1_000;
    return [
      `${formatCount(counts.done)} of ${formatNumberOf(rows, 'row')} (${Math.floor((counts.done / rows) * 100)} %)`,
      ...(paused ? [`paused for ${formatDuration(paused.getTime() - Date.now())} by a 429`] : []),
      ...(isWaiting && inFlight.size > 0 ? [`waiting for ${formatNumberOf(inFlight.size, 'response')}`] : []),
      ...(isWaiting && inFlight.size === 0 && delay !== undefined ? [delay] : []),
      ...(perSecond > 0 && !paused ? [`${Math.round(perSecond)}/s`] : []),
      ...(counts.rejected > 0 ? [`${formatCount(counts.rejected)} rejected`] : []),
      ...(counts.unknown > 0 ? [`${formatCount(counts.unknown)} unknown`] : []),
      ...(perSecond > 0 && !paused ? [`${formatDuration(leftMs)} left`] : []),
    ].join('  ');
  };
  const watch = createWatch();
  /** Rows that were refused because of the key. */
  const refused: number[] = [];

  function take(result: UpdateOrdersItemResult<Item>): void {
    const { item } = result;
    const settled = toSettled(result);
    const { state, token } = settled;
    const { problem, requeue } = watch(settled);
    // One that the client refuses before it sends was never noted.
    if (item.isNoted || settled.state === 'invalid') journal.settle(settled);
    for (const { row, token } of requeue) {
      refused.push(row);
      held.add(token);
    }
    if (state === 'queued' || holding.includes(state)) held.add(token);
    if (state === 'queued') counts.waiting++;
    else counts.done++;
    if (state === 'rejected' || state === 'unknown') counts[state]++;
    counts.taken++;
    if (item.wasSent) counts.sent++;
    if (problem !== undefined) stop(problem);
    item.settled();
  }

  const ticking = setInterval(() => progress.update(draw), 200);
  const updates = client.updateOrders(source(), {
    concurrency,
    async beforeAttempt({ item }) {
      await item.previous;
      if (stopped !== undefined) throw new Error('the run stops');
      if (held.has(item.token)) throw new Error('an earlier row of this order waits');
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
      inFlight.add(item.row);
    },
    afterAttempt({ item, outcome, status }) {
      inFlight.delete(item.row);
      if (outcome === 'not_sent') delay = 'waiting to reach the service';
      else delay = status === 429 ? 'slowed down by a 429' : undefined;
      // It waits for another attempt, and was not applied: killed meanwhile, it is not unknown.
      if (!item.wasSent || (outcome !== 'not_sent' && status !== 429)) return;
      try {
        journal.unmark(item.row);
      } catch (error) {
        stop(describeError(error));
      }
    },
  });
  const results = updates[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = results.next();
      // Not a race with one promise, which would keep every step of a long run.
      await new Promise<void>((wake) => {
        wakes.add(wake);
        const end = (): void => {
          wakes.delete(wake);
          wake();
        };
        next.then(end, end);
        if (stopped !== undefined) wake();
      });
      const isLast = stopped !== undefined;
      const rest = isLast ? (await updates.stop()).results : [];
      const { done, value } = await next;
      for (const result of done ? rest : [value, ...rest]) take(result);
      if (done || isLast) break;
    }
    // Now that nothing is in flight: a row behind which a later one of its order was sent stays rejected.
    if (refused.length > 0) journal.flush();
    for (const row of refused) journal.requeue(row);
    return { sent: counts.sent, stopped };
  } finally {
    clearInterval(ticking);
    progress.stop();
  }
}

/** How many rows a second had a result in the last ten seconds. */
function createRate(): (taken: number) => number {
  const samples: { readonly at: number; readonly taken: number }[] = [];
  return (taken) => {
    const at = performance.now();
    samples.push({ at, taken });
    while (samples.length > 2 && at - (samples[0]?.at ?? at) > 10_000) samples.shift();
    const [first] = samples;
    return first && at > first.at ? ((taken - first.taken) / (at - first.at)) * 1_000 : 0;
  };
}

/** So many failures in a row, each of another order, are those of the service. */
const failuresInARow = 5;

/**
 * Finds out when going on would only fail: the service is down, or refuses the key. Rows that it refused because of the
 * key are to be sent again.
 */
function createWatch(): (settled: Settled) => {
  readonly problem?: string;
  readonly requeue: readonly Settled[];
} {
  let failures = 0;
  let refusals: Settled[] = [];
  let isStopped = false;
  return (settled) => {
    const { state, status, attempts = 0, message } = settled;
    const isRefusal = state === 'rejected' && (status === 401 || status === 403);
    if (isRefusal) refusals.push(settled);
    if (state === 'unknown' || (state === 'queued' && attempts > 0)) failures++;
    else if (state === 'applied' || (state === 'rejected' && !isRefusal)) {
      failures = 0;
      refusals = [];
    }
    const isKeyRefused =
      refusals.length > 1 && (status === 401 || new Set(refusals.map(({ token }) => token)).size > 1);
    if (isRefusal && isKeyRefused) {
      // Those before it were noted as rejected.
      const requeue = isStopped ? [settled] : refusals;
      isStopped = true;
      return { problem: `the service refuses the key. ${message}`, requeue };
    }
    const problem = `${failuresInARow} updates in a row failed. ${message}`;
    return { ...(failures >= failuresInARow && { problem }), requeue: [] };
  };
}

function toSettled({ item, ...result }: UpdateOrdersItemResult<Item>): Settled {
  const { row, token } = item;
  if (result.ok) {
    const { status, attemptCount: attempts, receipt } = result;
    return { row, token, state: 'applied', status, attempts, requestId: lastRequestId(receipt) };
  }
  const { error } = result;
  const { outcome, code, message, attemptCount: attempts, retryable, receipt } = error;
  // A rejection that ended the call while it waited for another attempt is that of a 429.
  const willRepeat = outcome === 'rejected' && (retryable || code !== 'http_error');
  const state = willRepeat || outcome === 'not_sent' ? 'queued' : outcome;
  return {
    row,
    token,
    state: code === 'validation_error' ? 'invalid' : state,
    status: 'status' in error ? error.status : null,
    code,
    message,
    attempts,
    requestId: lastRequestId(receipt),
  };
}

function lastRequestId(receipt: Receipt): string | null {
  return receipt.toJSON().attempts.at(-1)?.requestId ?? null;
}

/** A short digest of what a row sends, to see later whether it has changed. */
export function digestOf({ token, update }: Pick<Row, 'token' | 'update'>): Buffer {
  return createHash('sha256')
    .update(`${token}\n${JSON.stringify(update)}`)
    .digest()
    .subarray(0, 8);
}

/** Rows that are in no final state. */
export function openRows(journal: Journal): number {
  const { queued = 0, ready = 0, sending = 0, ...settled } = journal.count();
  return journal.key.rows - Object.values(settled).reduce((sum, count) => sum + count, 0);
}
