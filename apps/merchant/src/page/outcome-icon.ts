import type { UpdateState } from '../contract/update-view.ts';
import type { IconName } from './icon.tsx';

/** A shape for each state of an update, so that none is told by its colour alone. */
export const outcomeIcon: Readonly<Record<UpdateState, IconName>> = {
  queued: 'clock',
  sending: 'send',
  applied: 'check',
  rejected: 'cross',
  not_sent: 'pause',
  unknown: 'question',
};
