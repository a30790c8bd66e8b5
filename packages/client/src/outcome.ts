/**
 * What became of an update.
 *
 * - `not_sent`: no byte of it left; it may be sent again.
 * - `rejected`: the service refused it, and did not apply it.
 * - `applied`: the service accepted it.
 * - `unknown`: it left, and no response proves whether it was applied.
 */
export type Outcome = 'not_sent' | 'rejected' | 'applied' | 'unknown';

/** Folds the outcomes of a call's attempts, in order: any applied, else any unknown, else the last. */
export function foldOutcomes(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes('applied')) return 'applied';
  if (outcomes.includes('unknown')) return 'unknown';
  return outcomes.at(-1) ?? 'not_sent';
}

const outcomes = new Set<unknown>(['not_sent', 'rejected', 'applied', 'unknown']);

export function isOutcome(value: unknown): value is Outcome {
  return outcomes.has(value);
}
