import type { BulkRowState } from '../../contract/bulk-view.ts';
import type { IconName } from '../icon.tsx';
import { outcomeIcon } from '../outcome-icon.ts';

/** A shape for each state of a row, so that none is told by its colour alone. */
export const rowStateIcon: Readonly<Record<BulkRowState, IconName>> = {
  bad: 'warning',
  waiting: 'clock',
  sending: outcomeIcon.sending,
  applied: outcomeIcon.applied,
  rejected: outcomeIcon.rejected,
  not_sent: outcomeIcon.not_sent,
  unknown: outcomeIcon.unknown,
  discarded: 'trash',
};
