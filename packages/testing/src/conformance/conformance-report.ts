import type { ConformanceSection, ConformanceStrength } from './conformance-case.ts';

/**
 * What became of a case: `pass` and `differs` were judged; `error` was tried and could not be judged, such as for want
 * of an answer; `skipped` was not tried.
 */
export type ConformanceVerdict = 'pass' | 'differs' | 'skipped' | 'error';

/** What was answered. Every text in it is the service's own, on one line, shortened, and without a key or token. */
export interface ConformanceActual {
  readonly status: number;
  /** As the service wrote it; absent when it sent none. */
  readonly mediaType?: string;
  /** Where a redirect points. */
  readonly location?: string;
  /** How the body begins; absent when there was none, or more of it than is read. */
  readonly excerpt?: string;
}

/** One case and what became of it. */
export interface ConformanceResult {
  readonly id: string;
  readonly title: string;
  readonly source: ConformanceSection;
  readonly strength: ConformanceStrength;
  readonly verdict: ConformanceVerdict;
  /** What the document promises, in words. */
  readonly expected: string;
  /** Absent when no whole answer came. */
  readonly actual?: ConformanceActual;
  /** Why it was skipped or could not be judged, or what of an accepted answer differs. */
  readonly reason?: string;
  /** From before the case's first request until its verdict, in milliseconds. */
  readonly durationMs: number;
}

/** What was found, as plain JSON data that holds no key and no order token. */
export interface ConformanceReport {
  readonly baseUrl: string;
  readonly counts: Readonly<Record<ConformanceVerdict, number>>;
  /** In the order of `conformanceCases`. */
  readonly results: readonly ConformanceResult[];
}
