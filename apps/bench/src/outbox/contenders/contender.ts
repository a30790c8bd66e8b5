import type { OrderUpdate } from '@orders/schema';
import type { Workload } from '../workload.ts';

/** Where and how one process works on the queue. */
export interface ContenderSettings {
  /** A connection string, the address of Redis, or the folder of PGlite. */
  readonly place: string;
  readonly baseUrl: string;
  /** Processes that share the work. */
  readonly processes: number;
  /** Updates on their way at once, over all processes. */
  readonly inFlight: number;
  /** For ours alone: how many updates may leave in a second, over all processes. */
  readonly rate?: { readonly perSecond: number; readonly burst: number };
}

/** One process of a queue that is measured. */
export interface Contender {
  /** Enqueues a workload, in its order for each order token. */
  load(workload: Workload): Promise<void>;
  /** Sends what is queued, from now on. */
  work(): Promise<void>;
  /** Ends what is on its way, stores what became of it, and lets go of everything. */
  stop(): Promise<void>;
}

/** A queue whose updates can be enqueued one by one. */
export interface LiveContender extends Contender {
  /** Enqueues an update, and gives when it was told to, by `monotonicMs`. */
  enqueue(token: string, update: OrderUpdate): Promise<number>;
}

/** Updates of one process on their way at once. */
export function shareOf({ inFlight, processes }: ContenderSettings): number {
  return Math.ceil(inFlight / processes);
}
