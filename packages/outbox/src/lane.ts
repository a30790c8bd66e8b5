import { randomUUID } from 'node:crypto';
import type { LaneJob } from './queue.ts';
import { ageOf, type Moment } from './send.ts';

/**
 * An order that a worker holds: a job that it has fetched from the queue. It is `ready` until the next turn marks its next
 * update, `in_flight` until the outcome of that is known, then ready again. Once it has nothing to send it ends; where it
 * must wait, it is `leaving`, which puts it back into the queue. A worker that stood still may find that it is lost: the
 * queue has given the job to another one. Moments are by the clock of `performance.now()`.
 */
export interface Lane {
  readonly job: LaneJob;
  /** Marks updates as being sent by this lane. */
  readonly claim: string;
  readonly takenAt: number;
  phase: 'ready' | 'in_flight' | 'leaving';
  /** When the next turn with it is due. */
  dueAt: number;
  /** Of one that is leaving: how long it waits in the queue, in milliseconds, and whether that is because a caller has locked it. */
  delayMs: number;
  isLockedOut: boolean;
  /** When the job was last known to be held; `undefined` when that is uncertain. */
  confirmedAt: Moment | undefined;
  /** Since when a caller has locked it. */
  lockedSince: number | undefined;
  /** Updates sent since it was taken, and when the last of them began. */
  sent: number;
  sentAt: number;
  /** Whether a turn that failed may have marked its next update, which was not sent. */
  mayBeMarked: boolean;
  /** Whether another worker may have it by now. */
  isLost: boolean;
}

/** A lane that was fetched, by a statement that began then. */
export function createLane(job: LaneJob, begunAt: Moment): Lane {
  const now = performance.now();
  return {
    job,
    // A database that was restored may count its attempts again.
    claim: `${job.id}:${job.retryCount}:${randomUUID().slice(0, 8)}`,
    takenAt: now,
    phase: 'ready',
    dueAt: now,
    delayMs: 0,
    isLockedOut: false,
    confirmedAt: begunAt,
    lockedSince: undefined,
    sent: 0,
    sentAt: 0,
    mayBeMarked: false,
    isLost: false,
  };
}

/** Whether no caller was seen to have locked an order. */
export function isUnlocked({ lockedSince }: Lane): boolean {
  return lockedSince === undefined;
}

/** How long ago a job was last known to be held, in milliseconds. */
export function unconfirmedMs({ confirmedAt }: Lane): number {
  return confirmedAt ? ageOf(confirmedAt) : Number.POSITIVE_INFINITY;
}

export function tokensOf(lanes: readonly Lane[]): readonly string[] {
  return lanes.map(({ job }) => job.token);
}

export function jobsOf(lanes: readonly Lane[]): readonly LaneJob[] {
  return lanes.map(({ job }) => job);
}
