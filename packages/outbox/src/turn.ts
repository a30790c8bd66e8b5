import { isUneventful, type Observation, type ServiceHealth } from './health.ts';
import { isUnlocked, jobsOf, type Lane, tokensOf } from './lane.ts';
import {
  freePlaces,
  type Limits,
  observeOutcomes,
  pause,
  type Rate,
  readLimits,
  takeSlots,
} from './limits.ts';
import type { LaneQueue } from './queue.ts';
import { currentMoment, type Moment } from './send.ts';
import {
  findUnstored,
  type LaneHead,
  lockLanes,
  markHeads,
  noteLocked,
  type SettledHead,
  storeOutcomes,
  unmark,
} from './statements.ts';
import type { OutboxStore, Sql } from './store.ts';

/** What a turn is to do. */
export interface TurnPlan {
  /** How many more updates this worker may have in flight. */
  readonly places: number;
  /** Orders whose next update is due. */
  readonly ready: readonly Lane[];
  /** Held orders that must be confirmed. */
  readonly unconfirmed: () => readonly Lane[];
  readonly outcomes: readonly SettledHead[];
  /** Orders that go back to the queue. */
  readonly leaving: readonly Lane[];
  /** Orders of lost lanes to queue again, where a late response has settled what the next worker sent to review. */
  readonly revive: readonly string[];
  /** Whether this worker may send the one update of a trial. */
  readonly mayTry: (limits: Limits) => boolean;
}

/** What a turn did. */
export interface TurnResult {
  readonly limits: Limits;
  /** Held orders that another worker may have by now. */
  readonly lost: readonly Lane[];
  /** Orders that this worker does not hold any more. */
  readonly ended: readonly Lane[];
  /** Orders that a transaction of a caller holds. */
  readonly locked: readonly Lane[];
  /** Orders that were queued. */
  readonly revived: readonly string[];
  /** The updates to send. */
  readonly heads: readonly MarkedHead[];
  readonly markedAt: Moment;
  /** When the slots were taken, by the clock of `performance.now()`. */
  readonly slotsAt: number;
  /** Updates that a lost worker was sending. */
  readonly abandoned: readonly LaneHead[];
  /** How old the updates are whose outcome was stored, in milliseconds, by their ids. */
  readonly stored: ReadonlyMap<string, number>;
  /** What was stored, which the breaker may have changed. */
  readonly outcomes: readonly SettledHead[];
}

/** An update to send. */
interface MarkedHead extends LaneHead {
  /** How long after `slotsAt` it may leave, in milliseconds. */
  readonly slotMs: number;
}

/** What turns work with. */
export interface TurnParts {
  readonly store: OutboxStore;
  readonly schema: string;
  readonly queue: LaneQueue;
  readonly rate: Rate | undefined;
}

/**
 * Without statistics, which PGlite never makes, the planner would read all jobs to fetch a few: 65 ms instead of 3 with
 * 100,000 of them.
 */
const settings = `set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off;
  set local enable_hashjoin = off; set local enable_mergejoin = off; set local jit = off;
  set local lock_timeout = 5000; set local idle_in_transaction_session_timeout = 5000`;

/**
 * One transaction of a worker: stores outcomes, confirms what it holds, marks the next updates of orders as being sent, and
 * gives back what has nothing to send or must wait. What it resolves with may be sent, since the marks are committed.
 */
export function takeTurn(parts: TurnParts, plan: TurnPlan): Promise<TurnResult> {
  return parts.store.transaction((tx) => runTurn(tx, parts, plan), { worker: true, settings });
}

async function runTurn(tx: Sql, parts: TurnParts, plan: TurnPlan): Promise<TurnResult> {
  const { schema, rate, store } = parts;
  const begunAt = currentMoment();
  const { limits, outcomes, stored } = await applyOutcomes(tx, schema, plan.outcomes);
  const lost = await confirm(tx, parts, plan, begunAt);
  const { candidates, places, surplus } = choose(parts, plan, limits, lost);

  // `insertUpdate` takes these locks, too: no update is stored unseen between the look at an order and the end of its job.
  const free = await lockLanes(tx, schema, [...tokensOf(candidates), ...plan.revive]);
  const markedAt = currentMoment();
  const [unlocked, locked] = partition(candidates, ({ job }) => free.has(job.token));
  const mayShare = store.backend === 'postgres';
  const next = await markHeads(tx, schema, unlocked.slice(0, places), { mayShare });
  const marked = next.filter((each) => each.kind === 'marked');

  const idle = next.filter(({ kind }) => kind === 'nothing').map(({ lane }) => lane);
  const revived = plan.revive.filter((token) => free.has(token));
  // What may not go on now waits in the queue, where any worker takes it up.
  const stopped = [...surplus, ...unlocked.slice(places)];
  for (const lane of stopped) Object.assign(lane, { phase: 'leaving', delayMs: 0 });
  const recent = next.filter((each) => each.kind === 'recent');
  for (const { lane, forMs } of recent) Object.assign(lane, { phase: 'leaving', delayMs: forMs });
  const leaving = [
    ...plan.leaving.filter((lane) => !lost.has(lane)),
    ...stopped,
    ...recent.map(({ lane }) => lane),
  ];
  await giveBack(tx, parts, { idle, leaving, revived });
  // Last, since they are locked until the commit: a turn that waits for a job of another must not hold them.
  const slots = rate ? await takeSlots(tx, schema, rate, marked.length) : undefined;

  return {
    limits: { ...limits, rateMs: slots?.rateMs ?? limits.rateMs },
    lost: [...lost],
    ended: [...idle, ...leaving],
    locked,
    revived,
    heads: marked.map(({ lane, head }, index) => ({ lane, head, slotMs: slots?.waitsMs[index] ?? 0 })),
    markedAt,
    slotsAt: performance.now(),
    abandoned: next.filter((each) => each.kind === 'abandoned'),
    stored,
    outcomes,
  };
}

/** Stores outcomes, and reads and changes what limits all workers. */
async function applyOutcomes(tx: Sql, schema: string, given: readonly SettledHead[]) {
  const pauseMs = Math.max(0, ...given.map(({ settlement }) => settlement.pauseMs ?? 0));
  if (pauseMs > 0) await pause(tx, schema, pauseMs);
  const read = await readLimits(tx, schema);
  const { health, outcomes } = await applyBreaker(tx, schema, given, read.health);
  return { limits: { ...read, health }, outcomes, stored: await storeOutcomes(tx, schema, outcomes) };
}

/** Shows the breaker what came of updates, which may queue some again. */
async function applyBreaker(
  tx: Sql,
  schema: string,
  outcomes: readonly SettledHead[],
  known: ServiceHealth,
): Promise<{ readonly health: ServiceHealth; readonly outcomes: readonly SettledHead[] }> {
  const toObservation = ({ head: { id, token }, settlement, trial }: SettledHead): Observation => {
    const { signal, message = '' } = settlement;
    return { id, token, signal, trial, message };
  };
  if (outcomes.map(toObservation).every((each) => isUneventful(known, each)))
    return { health: known, outcomes };
  const seen = (await findUnstored(tx, schema, outcomes)).map(toObservation);
  const { health, queueAgain } = await observeOutcomes(tx, schema, seen);
  if (queueAgain.size === 0) return { health, outcomes };
  const changed = outcomes.map((outcome) => {
    if (!queueAgain.has(outcome.head.id)) return outcome;
    const settlement = { ...outcome.settlement, state: 'queued', open: true, delayMs: 0 } as const;
    return { ...outcome, settlement };
  });
  return { health, outcomes: changed };
}

/** Renews the heartbeat of jobs. Resolves with those that are lost. */
async function confirm(
  tx: Sql,
  { queue }: TurnParts,
  plan: TurnPlan,
  begunAt: Moment,
): Promise<ReadonlySet<Lane>> {
  // Asked now, since the transaction may have waited long for its connection.
  const unconfirmed = plan.unconfirmed();
  const kept = await queue.touch(tx, jobsOf(unconfirmed));
  const [confirmed, lost] = partition(unconfirmed, ({ job }) => kept.has(job));
  for (const lane of confirmed) lane.confirmedAt = begunAt;
  return new Set(lost);
}

/** Chooses the orders that may go on, of which `places` may have an update marked, and those that may not. */
function choose({ rate }: TurnParts, plan: TurnPlan, limits: Limits, lost: ReadonlySet<Lane>) {
  const { count } = freePlaces(limits, rate, plan.mayTry(limits));
  // The share of a worker may shrink below what it has in flight.
  const places = Math.max(0, Math.min(plan.places, count));
  const held = plan.ready.filter((lane) => !lost.has(lane));
  if (places === 0) return { candidates: [], places, surplus: held };
  // What a caller has locked takes no place: it is tried beside the others, and goes on where it is free and they are few.
  const [others, locked] = partition(held, isUnlocked);
  return { candidates: [...others.slice(0, places), ...locked], places, surplus: others.slice(places) };
}

/** Ends these jobs, and queues a new one for each order that waits. */
async function giveBack(
  tx: Sql,
  { schema, queue }: TurnParts,
  {
    idle,
    leaving,
    revived,
  }: {
    readonly idle: readonly Lane[];
    readonly leaving: readonly Lane[];
    readonly revived: readonly string[];
  },
): Promise<void> {
  await unmark(
    tx,
    schema,
    leaving.filter(({ mayBeMarked }) => mayBeMarked),
  );
  await noteLocked(
    tx,
    schema,
    leaving.filter(({ isLockedOut }) => isLockedOut),
  );
  await queue.remove(tx, jobsOf([...idle, ...leaving]));
  await queue.insert(tx, [
    ...leaving.map(({ job: { token }, delayMs }) => ({ token, delayMs })),
    ...revived.map((token) => ({ token })),
  ]);
}

function partition<T>(all: readonly T[], test: (each: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((each) => !test(each))];
}
