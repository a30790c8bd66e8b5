import './dock.css';
import type { ReactNode } from 'react';
import type { UpdateReport } from '../../contract/update-report.ts';
import { outcomeIcon } from '../outcome-icon.ts';
import { formatTime } from '../words/format.ts';
import { appliedUnread, outcomeLines, outcomeWords } from '../words/outcomes.ts';
import { sendingWords } from '../words/sending.ts';
import { State } from './state.tsx';

export interface OutcomeStateProps {
  readonly report: UpdateReport;
  /** Whether the form has changed since. */
  readonly isEdited: boolean;
  /** The way to all that is known. */
  readonly details: ReactNode;
}

/** What became of the update, in words and in facts. */
export function OutcomeState({ report, isEdited, details }: OutcomeStateProps) {
  const { outcome, ok, attempts, status, at } = report;
  const { title } = outcomeWords[outcome];
  const facts = [
    ...(attempts > 0 ? [[sendingWords.attempts, attempts]] : []),
    ...(status === undefined ? [] : [[sendingWords.status, status]]),
    [sendingWords.time, formatTime(at)],
  ];
  return (
    <State
      tone={outcome}
      icon={outcomeIcon[outcome]}
      title={title}
      text={
        <>
          {outcome === 'applied' && !ok ? appliedUnread : outcomeLines[outcome]}
          {isEdited && <em className="dock-since"> {sendingWords.editedSince}</em>} {details}
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
