import type { AttemptEnd } from '../live/fold-update.ts';
import { activityWords } from '../words/activity.ts';

/** What ended an attempt, in a few words: the status that was answered, else what went wrong. */
export function describeEnd({ status, error }: Pick<AttemptEnd, 'status' | 'error'>): string {
  if (status !== undefined) return activityWords.answered(status);
  return activityWords.errors[error ?? ''] ?? error ?? activityWords.underWay;
}
