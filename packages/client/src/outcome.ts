/**
 * What became of an update.
 *
 * - `not_sent`: no byte of it left; it may be sent again.
 * - `rejected`: the service answered that it did not take it.
 * - `applied`: the service answered that it took it.
 * - `unknown`: it left, and no answer says what became of it.
 */
export type Outcome = 'not_sent' | 'rejected' | 'applied' | 'unknown';

/** Folds the outcomes of a call's attempts, in order: any applied, else any unknown, else the last. */
export function foldOutcomes(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes('applied')) return 'applied';
  if (outcomes.includes('unknown')) return 'unknown';
  return outcomes.at(-1) ?? 'not_sent';
}
