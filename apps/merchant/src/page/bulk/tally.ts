import type { BulkView } from '../../contract/bulk-view.ts';

/** What the counts of a bulk come to. */
export interface Tally {
  /** Rows that can be sent: all but the bad ones. */
  readonly sendable: number;
  /** Of these, the ones of which it is known what became of them, or known that nobody knows. */
  readonly settled: number;
  /** Rows that neither left nor were settled. */
  readonly waiting: number;
  readonly sending: number;
  readonly bad: number;
  readonly notSent: number;
  readonly unknown: number;
  /** Settled rows of a hundred, without fractions; 100 only when all are. */
  readonly percent: number;
}

/** Adds up how far a bulk is. */
export function tallyOf({ counts, rows }: Pick<BulkView, 'counts' | 'rows'>): Tally {
  const { bad = 0, waiting = 0, sending = 0, not_sent: notSent = 0, unknown = 0 } = counts;
  const sendable = rows - bad;
  const settled = sendable - waiting - sending;
  const percent = sendable === 0 ? 0 : Math.floor((settled / sendable) * 100);
  return { sendable, settled, waiting, sending, bad, notSent, unknown, percent };
}

/** How a bulk stands for a person: one that is paused while updates are on their way is still pausing. */
export function stageOf(bulk: BulkView): BulkView['state'] | 'pausing' {
  return bulk.state === 'paused' && (bulk.counts.sending ?? 0) > 0 ? 'pausing' : bulk.state;
}
