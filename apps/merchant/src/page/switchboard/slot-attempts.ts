import type { MeasuredAttempt } from '../../contract/switchboard-view.ts';
import type { Outcome } from '../../contract/update-report.ts';

/** The attempts of ten seconds. */
export interface Slot extends Readonly<Record<Outcome, number>> {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly total: number;
  /** Median of their durations in milliseconds; null without attempts. */
  readonly medianMs: number | null;
}

/** One attempt as a point. */
export interface Point {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly status?: number;
}

export interface SlottedAttempts {
  /** The beginning of the first slot and the end of the last, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Every slot, oldest first, those without attempts included. */
  readonly slots: readonly Slot[];
  /** The newest attempts, at most 500, oldest first. */
  readonly points: readonly Point[];
  readonly totals: Readonly<Record<Outcome, number>>;
}

export const slotMs = 10_000;
const slotCount = 30;
const maxPoints = 500;

const none: Readonly<Record<Outcome, number>> = { applied: 0, rejected: 0, not_sent: 0, unknown: 0 };

/**
 * Sorts the attempts of the last five minutes into slots of ten seconds, which begin at whole multiples of it; the last
 * one holds `now`. What is older, or of a clock that is ahead, is left out.
 */
export function slotAttempts(attempts: readonly MeasuredAttempt[], now: number): SlottedAttempts {
  const to = (Math.floor(now / slotMs) + 1) * slotMs;
  const from = to - slotCount * slotMs;
  const points = attempts
    .map(({ at, durationMs, outcome, status }) => ({
      at: Date.parse(at),
      durationMs,
      outcome,
      ...(status === undefined ? {} : { status }),
    }))
    .filter(({ at }) => at >= from && at < to)
    .sort((one, other) => one.at - other.at);
  const bySlot = Map.groupBy(points, ({ at }) => Math.floor((at - from) / slotMs));
  const slots = Array.from({ length: slotCount }, (_, index) => {
    const inSlot = bySlot.get(index) ?? [];
    return {
      from: from + index * slotMs,
      total: inSlot.length,
      medianMs: median(inSlot.map(({ durationMs }) => durationMs)),
      ...count(inSlot),
    };
  });
  return { from, to, slots, points: points.slice(-maxPoints), totals: count(points) };
}

/**
 * What was loaded and what was heard since, each attempt once: the two overlap where the page began to listen before it
 * was answered.
 */
export function mergeAttempts(
  loaded: readonly MeasuredAttempt[],
  heard: readonly MeasuredAttempt[],
): readonly MeasuredAttempt[] {
  const key = ({ at, token, durationMs }: MeasuredAttempt) => JSON.stringify([at, token, durationMs]);
  const known = new Set(loaded.map(key));
  return [...loaded, ...heard.filter((attempt) => !known.has(key(attempt)))];
}

function count(points: readonly Point[]): Readonly<Record<Outcome, number>> {
  const counts = { ...none };
  for (const { outcome } of points) counts[outcome] += 1;
  return counts;
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const [low = 0, high = low] =
    sorted.length % 2 === 0 ? sorted.slice(middle - 1, middle + 1) : sorted.slice(middle, middle + 1);
  return sorted.length === 0 ? null : (low + high) / 2;
}
