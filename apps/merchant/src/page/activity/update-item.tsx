import './activity.css';
import { type ReactNode, useState } from 'react';
import { awaitsDecision, type UpdateView } from '../../contract/update-view.ts';
import { Icon } from '../icon.tsx';
import type { LiveUpdate } from '../live/fold-update.ts';
import { activityWords } from '../words/activity.ts';
import { formatTime } from '../words/format.ts';
import { Mark } from './mark.tsx';
import { titleOf } from './title-of.ts';
import { UpdateCard } from './update-card.tsx';

/** One update in a list, to open; what waits for a person is open from the start. */
export function UpdateItem({ live }: { readonly live: LiveUpdate }) {
  const { update, attempts } = live;
  const [isOpen, setIsOpen] = useState(awaitsDecision(update));
  const tries = update.report?.attempts ?? attempts.length;
  return (
    <li>
      <details
        className="update-item"
        open={isOpen}
        onToggle={(event) => setIsOpen(event.currentTarget.open)}
      >
        <summary className="update-summary">
          <Mark state={update.state} />
          <span className="update-summary-title">{titleOf(update)}</span>
          <Facts update={update}>{tries > 1 && ` · ${activityWords.attempts(tries)}`}</Facts>
          <span className="update-summary-arrow">
            <Icon name="chevron" size={14} />
          </span>
        </summary>
        {isOpen && <UpdateCard live={live} />}
      </details>
    </li>
  );
}

function Facts({ update, children }: { readonly update: UpdateView; readonly children: ReactNode }) {
  return (
    <span className="update-summary-facts">
      {formatTime(update.createdAt)}
      {children}
    </span>
  );
}
