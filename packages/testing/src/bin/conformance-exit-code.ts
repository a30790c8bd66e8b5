import type { ConformanceReport } from '../conformance/conformance-report.ts';

/** Whether a difference that the document only implies counts as one. */
export type ImpliedWeight = 'warn' | 'fail';

/** 1 for a difference, 3 when something could not be judged or nothing was tried, else 0. */
export function conformanceExitCode(
  { results, counts }: ConformanceReport,
  implied: ImpliedWeight,
): 0 | 1 | 3 {
  const counting = results.filter(
    ({ verdict, strength }) => verdict === 'differs' && (strength === 'stated' || implied === 'fail'),
  );
  if (counting.length > 0) return 1;
  const wasAnyTried = counts.pass + counts.differs > 0;
  return counts.error > 0 || !wasAnyTried ? 3 : 0;
}
