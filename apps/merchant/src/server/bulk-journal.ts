import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { BulkSteps, SettledRow } from '../storage/bulk-records.ts';

/** Stores the steps of a running bulk in the order they are taken, as many at once as gather meanwhile. */
export interface BulkJournal {
  /** Resolves once it is stored that bytes of this row may leave. */
  mark(row: number): Promise<void>;
  /** Stores soon what became of a row. */
  settle(settled: SettledRow): void;
  /** Resolves once everything is stored. @throws what the last failing write threw. */
  flush(): Promise<void>;
}

/** A disk waits for each write: so rows that start at the same moment share one. */
export function createBulkJournal(write: (steps: BulkSteps) => Promise<void>): BulkJournal {
  let marked: number[] = [];
  let settled: SettledRow[] = [];
  let last = Promise.resolve();
  let gathering: Promise<void> | undefined;

  const gather = (): Promise<void> => {
    gathering ??= last
      .catch(() => {})
      // Answers that arrived together are read in the same turn of the event loop, which PGlite blocks while it writes.
      .then(() => turnOfTheLoop())
      .then(() => {
        const steps = { marked, settled };
        marked = [];
        settled = [];
        gathering = undefined;
        return write(steps);
      });
    last = gathering;
    return gathering;
  };

  return {
    mark(row) {
      marked.push(row);
      return gather();
    },
    settle(row) {
      settled.push(row);
      // Whoever flushes is told.
      gather().catch(() => {});
    },
    flush: () => last,
  };
}
