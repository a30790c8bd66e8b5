import './activity.css';
import { awaitsDecision } from '../../contract/update-view.ts';
import type { LiveUpdate } from '../live/fold-update.ts';
import { DecisionBox } from './decision-box.tsx';
import { Timeline } from './timeline.tsx';
import { UpdateRecords } from './update-records.tsx';

/** All that is known of one update: its steps, the decision that it waits for, and its records. */
export function UpdateCard({ live }: { readonly live: LiveUpdate }) {
  const { update } = live;
  return (
    <div className="update-card">
      <Timeline live={live} />
      {awaitsDecision(update) && <DecisionBox update={update} />}
      <UpdateRecords update={update} />
    </div>
  );
}
