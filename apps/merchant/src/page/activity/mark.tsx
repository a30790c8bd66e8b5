import './activity.css';
import type { UpdateState } from '../../contract/update-view.ts';
import { Icon } from '../icon.tsx';
import { outcomeIcon } from '../outcome-icon.ts';

/** The shape and colour of a state, beside a text that says the same. */
export function Mark({ state }: { readonly state: UpdateState }) {
  return (
    <span className="mark" data-state={state}>
      <Icon name={outcomeIcon[state]} size={12} />
    </span>
  );
}
