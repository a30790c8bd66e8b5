import type { ContenderName } from './contenders/contender-list.ts';

/** What can be measured, in the order of the tables. */
export const parts = ['drain', 'depth', 'latency', 'rate'] as const;
export type Part = (typeof parts)[number];

/** What to measure, and how thoroughly. */
export interface ScaleSettings {
  readonly only: readonly Part[];
  readonly queues: readonly ContenderName[];
  readonly rounds: number;
  /** Updates that are drained, and the orders that they are for. */
  readonly updates: number;
  readonly orders: number;
  /** Updates on their way at once, over all processes. */
  readonly inFlight: number;
  /** Numbers of processes that drain a queue. */
  readonly processes: readonly number[];
  /** Orders that wait while the cost of an update is measured, ascending. */
  readonly depths: readonly number[];
  /** Updates that are measured at each depth. */
  readonly window: number;
  /** The longest that a window may take, in seconds: what is slower is told by how far it came. */
  readonly patience: number;
  /** Updates whose way is timed, one at a time. */
  readonly samples: number;
  /** How long the shared rate is watched, in seconds. */
  readonly seconds: number;
  /** Whether what PostgreSQL commits must reach the disk. */
  readonly fsync: boolean;
}
