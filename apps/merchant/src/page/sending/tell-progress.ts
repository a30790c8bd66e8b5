import type { UpdateReport } from '../../contract/update-report.ts';
import type { AttemptEnd, LiveUpdate } from '../live/fold-update.ts';

/** Where an update is on its way. */
export type Progress =
  | { readonly kind: 'queued' }
  | { readonly kind: 'attempt'; readonly number: number }
  /** Without `waitMs` nobody knows here how long. */
  | { readonly kind: 'waiting'; readonly next: number; readonly end: AttemptEnd; readonly waitMs?: number }
  | { readonly kind: 'settled'; readonly report: UpdateReport };

/** Tells the step at which an update is now. */
export function tellProgress({ update, attempts }: LiveUpdate): Progress {
  if (update.report) return { kind: 'settled', report: update.report };
  const last = attempts.at(-1);
  // One that was sent off anew has attempts, and none of them is under way.
  if (update.state === 'queued') return { kind: 'queued' };
  if (!last) return { kind: 'attempt', number: 1 };
  const { number, end } = last;
  if (end?.isRetried) return { kind: 'waiting', next: number + 1, end };
  return end?.retryDelayMs === undefined
    ? { kind: 'attempt', number }
    : { kind: 'waiting', next: number + 1, end, waitMs: end.retryDelayMs };
}
