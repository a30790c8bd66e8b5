import type { Outcome } from '../contract/update-report.ts';
import type { IconName } from './icon.tsx';

/** A shape for each outcome, so that no outcome is told by its colour alone. */
export const outcomeIcon: Readonly<Record<Outcome, IconName>> = {
  applied: 'check',
  rejected: 'cross',
  not_sent: 'pause',
  unknown: 'question',
};
