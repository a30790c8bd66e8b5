import './dock.css';
import type { UpdateReport } from '../../contract/update-report.ts';
import { outcomeIcon } from '../outcome-icon.ts';
import { words } from '../words.ts';
import { State } from './state.tsx';

export interface OutcomeStateProps {
  readonly report: UpdateReport;
  /** Whether the form has changed since. */
  readonly isEdited: boolean;
}

/** What became of the update, in words and in facts. */
export function OutcomeState({ report, isEdited }: OutcomeStateProps) {
  const { outcome, ok, attempts, status, at } = report;
  const { title, text } = words.outcomes[outcome];
  const facts = [
    ...(attempts > 0 ? [[words.dock.attempts, attempts]] : []),
    ...(status === undefined ? [] : [[words.dock.status, status]]),
    [words.dock.time, new Date(at).toLocaleTimeString()],
  ];
  return (
    <State
      tone={outcome}
      icon={outcomeIcon[outcome]}
      title={title}
      text={
        <>
          {outcome === 'applied' && !ok ? words.appliedUnread : text}
          {isEdited && <em className="dock-since"> {words.dock.editedSince}</em>}
        </>
      }
    >
      <dl className="dock-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </State>
  );
}
