import type { NumberedEvent } from '../../contract/desk-event.ts';
import type { Outcome } from '../../contract/update-report.ts';

/** How far an update has come in its lane. */
type Stage =
  | { readonly kind: 'queued' }
  | { readonly kind: 'sending'; readonly attempt: number }
  /** Before attempt number `attempt`; without `forMs` nobody knows here how long. */
  | { readonly kind: 'waiting'; readonly attempt: number; readonly forMs: number | undefined }
  /** Its outcome is unknown, and the outbox sends nothing of its order until somebody decides. */
  | { readonly kind: 'held' }
  | {
      readonly kind: 'done';
      readonly attempts: number;
      readonly outcome: Outcome;
      readonly isSettled: boolean;
    };

/** An update in its lane. */
export interface LaneUpdate {
  readonly id: string;
  /** The lowest number of an event that told of it: its place in the lane. */
  readonly seq: number;
  /** When it was last told of, in milliseconds since the epoch. */
  readonly at: number;
  /** How often it was sent off anew. */
  readonly round: number;
  readonly stage: Stage;
}

/** The updates of each order by its token, each lane in the order in which they were accepted. */
export type Lanes = ReadonlyMap<string, readonly LaneUpdate[]>;

/** How long an update is shown when it is done, in milliseconds. */
const shownMs = 60_000;
/** How many updates are kept of a lane, and how many lanes. */
const maxKept = 100;
const maxLanes = 32;

/** Takes one event in. Repeated ones change nothing, and an update never goes back to an earlier stage of its round. */
export function foldLanes(lanes: Lanes, { seq, at, event }: NumberedEvent): Lanes {
  const stage = readStage(event);
  if (!stage || event.kind === 'qr_session') return lanes;
  const { token, updateId: id } = event;
  if (!lanes.has(token) && lanes.size >= maxLanes) return lanes;
  const lane = lanes.get(token) ?? [];
  const known = lane.find((update) => update.id === id);
  const heard: LaneUpdate = { id, seq, at: Date.parse(at), round: roundOf(event), stage };
  const merged = known ? merge(known, heard) : heard;
  const others = lane.filter((update) => update !== known);
  return new Map(lanes).set(token, bound([...others, merged].sort((one, other) => one.seq - other.seq)));
}

/** Lets go of what was done more than a minute ago; the same lanes when there is nothing to let go of. */
export function pruneLanes(lanes: Lanes, now: number): Lanes {
  const isOver = ({ stage, at }: LaneUpdate) => stage.kind === 'done' && at < now - shownMs;
  if (![...lanes.values()].some((lane) => lane.some(isOver))) return lanes;
  const kept = [...lanes].map(([token, lane]) => [token, lane.filter((update) => !isOver(update))] as const);
  return new Map(kept.filter(([, lane]) => lane.length > 0));
}

/** A lane as it is shown: what is done, newest first, the one on its way or that holds it, and what waits behind it. */
export interface ArrangedLane {
  readonly done: readonly LaneUpdate[];
  readonly current: LaneUpdate | undefined;
  readonly queued: readonly LaneUpdate[];
}

export function arrangeLane(lane: readonly LaneUpdate[]): ArrangedLane {
  const done = lane.filter(({ stage }) => stage.kind === 'done').reverse();
  const open = lane.filter(({ stage }) => stage.kind !== 'done');
  const current =
    open.find(({ stage }) => stage.kind === 'sending' || stage.kind === 'waiting') ??
    open.find(({ stage }) => stage.kind === 'held');
  return { done, current, queued: open.filter((update) => update !== current) };
}

function readStage(event: NumberedEvent['event']): Stage | undefined {
  switch (event.kind) {
    case 'update_queued':
    case 'update_reopened':
      return { kind: 'queued' };
    case 'attempt_started':
      return { kind: 'sending', attempt: event.attempt };
    case 'attempt_ended': {
      const { attempt, outcome, retryDelayMs, isRetried } = event;
      return isRetried || retryDelayMs !== undefined
        ? { kind: 'waiting', attempt: attempt + 1, forMs: retryDelayMs }
        : { kind: 'done', attempts: attempt, outcome, isSettled: false };
    }
    case 'update_settled':
    case 'update_decided': {
      const { state, report, sentThrough, decision } = event.update;
      if (state === 'unknown' && sentThrough === 'outbox' && decision === null) return { kind: 'held' };
      // A settled update has an outcome.
      const outcome = state === 'queued' || state === 'sending' ? 'unknown' : state;
      return { kind: 'done', attempts: report?.attempts ?? 0, outcome, isSettled: true };
    }
    default:
      return undefined;
  }
}

function roundOf(event: NumberedEvent['event']): number {
  if ('update' in event) return event.update.round;
  return 'round' in event ? (event.round ?? 0) : 0;
}

function merge(known: LaneUpdate, heard: LaneUpdate): LaneUpdate {
  const { round, stage } = isLater(heard, known) ? heard : known;
  return {
    id: known.id,
    seq: Math.min(known.seq, heard.seq),
    at: Math.max(known.at, heard.at),
    round,
    stage,
  };
}

function isLater(one: LaneUpdate, other: LaneUpdate): boolean {
  return one.round === other.round ? progress(one.stage) > progress(other.stage) : one.round > other.round;
}

function progress(stage: Stage): number {
  switch (stage.kind) {
    case 'queued':
      return 0;
    case 'sending':
      return stage.attempt;
    case 'waiting':
      return stage.attempt - 0.5;
    case 'held':
      return Number.MAX_VALUE / 2;
    case 'done':
      // The last attempt's outcome stands until that of the whole update is told, and an unknown one until a late answer.
      if (!stage.isSettled) return stage.attempts + 0.75;
      return stage.outcome === 'unknown' ? Number.MAX_VALUE : Number.POSITIVE_INFINITY;
  }
}

/** The oldest that are done go first, then the newest. */
function bound(lane: readonly LaneUpdate[]): readonly LaneUpdate[] {
  if (lane.length <= maxKept) return lane;
  const oldest = lane.findIndex(({ stage }) => stage.kind === 'done');
  return lane.toSpliced(oldest === -1 ? lane.length - 1 : oldest, 1);
}
