import './switchboard.css';
import type { UpdateState } from '../../contract/update-view.ts';
import { Icon, type IconName } from '../icon.tsx';
import { outcomeIcon } from '../outcome-icon.ts';

export interface OutcomeMarkProps {
  readonly state: UpdateState;
  readonly text: string;
  /** @default that of the state */
  readonly icon?: IconName;
}

/** How an update stands: an icon and a word in its colours. */
export function OutcomeMark({ state, text, icon = outcomeIcon[state] }: OutcomeMarkProps) {
  return (
    <span className="outcome-mark" data-state={state}>
      <Icon name={icon} size={13} />
      <span className="outcome-mark-text">{text}</span>
    </span>
  );
}
