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

/** The sentence that ends a message: what became of the update. */
export const updateOutcomes = {
  not_sent: 'The update was not sent.',
  rejected: 'The update was not applied.',
  applied: 'The update was applied.',
  unknown: 'Whether the update was applied is unknown.',
} as const;

export function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'string' && Object.hasOwn(updateOutcomes, value);
}
