import type { BulkRowState, BulkView } from '../contract/bulk-view.ts';

/** How far a running bulk is. */
export interface BulkProgress {
  move(from: BulkRowState, to: BulkRowState): void;
  read(): Pick<BulkView, 'counts' | 'ratePerSecond' | 'secondsLeft'>;
}

/** The rate is that of the last seconds: a mean over all would hide that it changed. */
const windowMs = 5_000;

/** A rate of less time than this would jump. */
const firstRateMs = 1_000;

/**
 * Counts rows as they change their state, from the counts at the start. Pure but for its own state.
 *
 * @param now a clock in milliseconds.
 */
export function createBulkProgress(atStart: BulkView['counts'], now: () => number): BulkProgress {
  const counts = { ...atStart };
  const startedAt = now();
  let settledAt: number[] = [];

  return {
    move(from, to) {
      counts[from] = (counts[from] ?? 0) - 1;
      counts[to] = (counts[to] ?? 0) + 1;
      if (to !== 'sending' && to !== 'waiting') settledAt.push(now());
    },
    read() {
      const elapsed = now() - startedAt;
      const since = now() - windowMs;
      settledAt = settledAt.filter((at) => at > since);
      const shown = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
      if (elapsed < firstRateMs) return { counts: shown };
      const rate = settledAt.length / (Math.min(elapsed, windowMs) / 1_000);
      const left = (counts.waiting ?? 0) + (counts.sending ?? 0);
      return {
        counts: shown,
        ratePerSecond: Math.round(rate * 10) / 10,
        ...(rate > 0 ? { secondsLeft: Math.ceil(left / rate) } : {}),
      };
    },
  };
}
