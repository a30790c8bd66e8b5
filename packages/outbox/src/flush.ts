import type { Assignment, Claimer } from './claim.ts';
import { gather } from './gather.ts';
import type { LaneQueue, Place } from './lane-queue.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { Outage } from './outage.ts';
import { isRefusal, reasonOf } from './reason-of.ts';
import { rest } from './rest.ts';
import type { SettledUpdate } from './settled-update.ts';
import type { Settlement } from './settlement.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import { type Turn, type TurnEntry, takeTurn } from './turn.ts';

/** Stores what was worked out, in batches, and tries until it is stored. */
export interface Flush {
  /** Stores what became of an update and lets its lane go on; its place is free then. */
  settle(assignment: Assignment, settlement: Settlement): Promise<void>;
  /** Lets a lane go on in which nothing was done, after a while; its place is free then. */
  step(assignment: Assignment, delayMs?: number): Promise<void>;
  /** Says that jobs are still worked on. */
  touch(places: readonly Place[]): Promise<void>;
}

/** Outcomes are stored together that come within this time, in milliseconds: the others on their way use it. */
const lingerMs = 3;
/** So large a share of what is on its way is stored without waiting for more, and no fewer than this. */
const enoughShare = 1 / 2;
const enoughAtLeast = 4;
/** How long to wait for a lane that somebody else holds, and for a database that does not work, at most. */
const mostMs = { locked: 100, failed: 1_000 };

/** What the store of results works with. */
export interface FlushParts extends Claimer {
  readonly store: OutboxStore;
  readonly schema: string;
  readonly queue: LaneQueue;
  readonly outage: Outage;
  readonly warn: (message: string) => void;
  /** Told what became of an update, once that is stored. */
  readonly onSettled: (settled: SettledUpdate) => void;
  /** How many of so many places that come free may go on with other lanes. */
  readonly mayKeep: (freed: number) => number;
  /** How many lanes are being worked on. */
  readonly underWay: () => number;
  /** Told what the places that came free are to do next, and what waits. */
  readonly onTurn: (turn: Turn) => void;
  /** Ends the tries: what is not stored by then is lost. */
  readonly signal: AbortSignal;
}

/** Makes the store of a worker's results. */
export function flushWith(parts: FlushParts): Flush {
  const { store, schema, queue, outage, warn, onSettled, signal } = parts;
  const inTurn = oneAtATime();
  const enough = (): number => {
    const underWay = parts.underWay();
    // Where all that is on its way waits here, nothing more can come.
    return Math.min(underWay, Math.max(enoughAtLeast, underWay * enoughShare));
  };

  const write = gather<TurnEntry, boolean | Error>(
    async (entries) => {
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
    },
    { lingerMs, enough },
  );

  async function writeTogether(entries: readonly TurnEntry[]): Promise<readonly boolean[]> {
    const turn = await inTurn(() => {
      const most = parts.mayKeep(entries.length);
      return takeTurn(store, schema, { ...parts, entries, most, now: performance.now() });
    });
    for (const { settlement } of entries) {
      const ageMs = turn.settled.get(settlement?.id ?? '');
      if (settlement && ageMs !== undefined) onSettled(tellSettled(settlement, ageMs));
    }
    parts.onTurn(turn);
    return entries.map(({ token }) => turn.stored.has(token));
  }

  /** What became of an update is known here alone, so it is kept until it is stored. */
  async function keepWriting(entry: TurnEntry): Promise<void> {
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
    settle: (assignment, settlement) =>
      keepWriting({ ...assignment, delayMs: 0, knownAt: performance.now(), settlement }),
    step: (assignment, delayMs = 0) => keepWriting({ ...assignment, delayMs, knownAt: performance.now() }),
    // Two statements at once that lock the same jobs, each in its own order, could deadlock.
    touch: (places) => inTurn(() => queue.touch(places)),
  };
}

function tellSettled({ id, token, verdict }: Settlement, ageMs: number): SettledUpdate {
  const { state, code, status } = verdict;
  return {
    id,
    token,
    state,
    ageMs,
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
  };
}
