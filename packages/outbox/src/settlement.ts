import type { Verdict } from './verdict.ts';

/** An update that was worked on, and what becomes of it. */
export interface Settlement {
  readonly id: string;
  readonly token: string;
  /** By whom it was marked as being sent. */
  readonly claim: string;
  readonly verdict: Verdict;
}
