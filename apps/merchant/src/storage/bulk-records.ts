import type { BulkRow, BulkRowState, BulkView } from '../contract/bulk-view.ts';
import type { Outcome } from '../contract/update-report.ts';

/** A bulk as it is kept: without what only a running one knows. */
export type KeptBulk = Omit<BulkView, 'ratePerSecond' | 'secondsLeft'>;

/** What is said of a row beside its update. */
export type BulkIssues = BulkRow['issues'];

/** A row to keep. */
export interface NewBulkRow {
  readonly row: number;
  readonly line: number;
  readonly token: string;
  /** JSON. */
  readonly update: string;
  readonly issues: Readonly<BulkIssues>;
}

/** A row to send: the update was judged when its file was read. */
export interface WaitingRow {
  readonly row: number;
  readonly token: string;
  readonly update: unknown;
}

/** What became of a row; `waiting` when nothing of it left. */
export interface SettledRow {
  readonly row: number;
  readonly state: Outcome | 'waiting';
  readonly attempts?: number;
  readonly status?: number;
  readonly issues: Readonly<BulkIssues>;
}

/** Rows that are about to leave, and rows of which it is known what became of them. */
export interface BulkSteps {
  readonly marked: readonly number[];
  readonly settled: readonly SettledRow[];
}

export interface RowFilter {
  readonly state?: BulkRowState | undefined;
  /** Only rows after this one. @default 0 */
  readonly after?: number | undefined;
  /** Rows left out at the beginning. @default 0 */
  readonly offset?: number | undefined;
  readonly limit: number;
}
