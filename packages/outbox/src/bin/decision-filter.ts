import type { UpdateStatus } from '../update-status.ts';

/** Which of the updates that wait for a decision are meant. */
export interface DecisionFilter {
  readonly states: readonly ('parked' | 'rejected')[];
  /** The code of what went wrong, or the HTTP status of the answer. */
  readonly code?: string;
}

export function matchesFilter(
  update: Pick<UpdateStatus, 'state' | 'code' | 'status'>,
  filter: DecisionFilter,
): boolean {
  const { states, code } = filter;
  if (!states.some((state) => state === update.state)) return false;
  return code === undefined || code === update.code || code === String(update.status);
}
