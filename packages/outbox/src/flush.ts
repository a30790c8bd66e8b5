import type { Job } from 'pg-boss';
import { gather } from './gather.ts';
import type { Fed, LaneJob, LaneQueue } from './lane-queue.ts';
import { attemptKey, freeLanes, type LaneStep, lockWork, stepLanes } from './lanes.ts';
import type { Outage } from './outage.ts';
import { isRefusal, reasonOf } from './reason-of.ts';
import { rest } from './rest.ts';
import { pauseAll, type Settled, type Settlement, settleUpdates } from './settle.ts';
import type { SettledUpdate } from './settled-update.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import type { Sql } from './store/sql.ts';

/** Stores what was worked out, in batches, and tries until it is stored. */
export interface Flush {
  /** Stores what became of an update, lets its lane go on and ends the job. */
  settle(job: Job<LaneJob>, settlement: Settlement): Promise<void>;
  /** Lets a lane go on in which nothing was done, after a while, and ends the job. */
  step(job: Job<LaneJob>, delayMs?: number): Promise<void>;
  /** Says that jobs are still worked on. */
  touch(jobs: readonly Job<LaneJob>[]): Promise<void>;
}

interface Entry {
  readonly job: Job<LaneJob>;
  readonly delayMs: number;
  readonly settlement?: Settlement;
}

/** What one transaction wrote. */
interface Written {
  /** For each entry, whether it was; else its lane was locked. */
  readonly stored: readonly boolean[];
  readonly settled: ReadonlyMap<string, Settled>;
}

/** Outcomes are stored together that come within this time, in milliseconds; nobody waits for them. */
const lingerMs = 4;
/** How long to wait for a lane that somebody else holds, and for a database that does not work, at most. */
const mostMs = { locked: 100, failed: 1_000 };

/** What the store of results works with. */
export interface FlushParts {
  readonly store: OutboxStore;
  readonly schema: string;
  readonly queue: LaneQueue;
  readonly outage: Outage;
  readonly warn: (message: string) => void;
  /** Told what became of an update, once that is stored. */
  readonly onSettled: (settled: SettledUpdate) => void;
  /** Ends the tries: what is not stored by then is lost. */
  readonly signal: AbortSignal;
}

/** Makes the store of a worker's results; `onFed` is called when lanes were fed. */
export function flushWith(parts: FlushParts, onFed: (fed: Fed) => void): Flush {
  const { store, schema, queue, outage, warn, onSettled, signal } = parts;
  const inTurn = oneAtATime();

  const write = gather<Entry, boolean | Error>(async (entries) => {
    try {
      return await writeTogether(entries);
    } catch (error) {
      if (entries.length === 1 || !isRefusal(error)) throw error;
      // What the database refuses for one must not keep the others waiting.
      const results: (boolean | Error)[] = [];
      for (const entry of entries) {
        const alone = writeTogether([entry]).then(([stored = false]) => stored);
        results.push(await alone.catch((reason: Error) => reason));
      }
      return results;
    }
  }, lingerMs);

  async function writeTogether(entries: readonly Entry[]): Promise<readonly boolean[]> {
    const { stored, settled, fed } = await inTurn(() =>
      store.transaction(async (tx) => ({ ...(await writeAll(tx, entries)), fed: await queue.feedIn(tx) })),
    );
    onFed(fed);
    for (const { settlement } of entries) {
      const found = settlement && settled.get(settlement.id);
      if (found) onSettled(tellSettled(settlement, found));
    }
    return stored;
  }

  async function writeAll(tx: Sql, entries: readonly Entry[]): Promise<Written> {
    const { free, owned } = await lockWork(
      tx,
      schema,
      entries.map(({ job }) => job),
    );
    const ready = entries.filter(({ job }) => free.has(job.data.token));
    const isOwned = ({ job }: Entry): boolean => owned.has(attemptKey(job));
    const settled = await settleUpdates(
      tx,
      schema,
      ready.flatMap((entry) => (entry.settlement ? [{ ...entry.settlement, owned: isOwned(entry) }] : [])),
    );
    const pauseMs = Math.max(0, ...ready.map(({ settlement }) => settlement?.verdict.pauseAllMs ?? 0));
    if (pauseMs > 0) await pauseAll(tx, schema, pauseMs);

    const mine = ready.filter(isOwned);
    await stepLanes(
      tx,
      schema,
      mine.map((entry) => stepOf(entry, settled.has(entry.settlement?.id ?? ''))),
    );
    const late = ready.flatMap(({ settlement }) =>
      settlement && settled.get(settlement.id)?.wasParked && !settlement.verdict.hold ? [settlement] : [],
    );
    await freeLanes(tx, schema, late);
    await queue.endIn(
      tx,
      mine.map(({ job }) => job),
    );
    return { stored: entries.map(({ job }) => free.has(job.data.token)), settled };
  }

  /** What became of an update is known here alone, so it is kept until it is stored. */
  async function keepWriting(entry: Entry): Promise<void> {
    let refused = false;
    for (let tries = 0; !signal.aborted; tries++) {
      const stored = await write(entry).catch((error: Error) => error);
      if (stored === true) return;
      if (stored instanceof Error && !isRefusal(stored)) outage.fails(stored);
      if (stored instanceof Error && isRefusal(stored) && !refused) {
        refused = true;
        warn(`The database refuses what became of an update, and it is kept: ${reasonOf(stored)}`);
      }
      const most = stored instanceof Error ? mostMs.failed : mostMs.locked;
      await rest(Math.min(most, 5 * 2 ** Math.min(tries, 20)), signal);
    }
  }

  return {
    settle: (job, settlement) => keepWriting({ job, delayMs: 0, settlement }),
    step: (job, delayMs = 0) => keepWriting({ job, delayMs }),
    // Two statements at once that lock the same jobs, each in its own order, could deadlock.
    touch: (jobs) => inTurn(() => queue.touch(jobs)),
  };
}

function tellSettled({ id, token, verdict }: Settlement, { ageMs }: Settled): SettledUpdate {
  const { state, code } = verdict;
  return { id, token, state, ageMs, ...(code === undefined ? {} : { code }) };
}

function stepOf({ job, delayMs, settlement }: Entry, isSettled: boolean): LaneStep {
  const { token } = job.data;
  // What somebody discarded meanwhile neither holds its lane nor delays it.
  if (!settlement || !isSettled) return { token, heldBy: undefined, delayMs, failures: 0 };
  const { id, verdict } = settlement;
  return {
    token,
    heldBy: verdict.hold ? id : undefined,
    delayMs: verdict.delayMs,
    failures: verdict.failures,
  };
}

function oneAtATime(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run, run);
    last = next.catch(() => {});
    return next;
  };
}
