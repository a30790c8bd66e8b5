import './switchboard.css';
import type { Trouble } from '../../contract/switchboard-view.ts';
import { readSendsThrough } from '../sends-through.ts';
import { outcomeWords } from '../words/outcomes.ts';
import { switchboardWords } from '../words/switchboard.ts';
import { OutcomeMark } from './outcome-mark.tsx';
import { promiseOutcomes } from './promised-outcomes.ts';

export interface TroubleCardProps {
  readonly trouble: Trouble;
  readonly isChosen: boolean;
  readonly isDisabled: boolean;
  readonly onChoose: () => void;
}

const words = switchboardWords.switch;

/** One trouble to choose: what the service does, what the desk does about it, and how updates end. */
export function TroubleCard({ trouble, isChosen, isDisabled, onChoose }: TroubleCardProps) {
  const sendsThrough = readSendsThrough();
  const { name, service, desk } = words.troubles[trouble];
  const deed = sendsThrough === 'outbox' ? (words.inOutbox[trouble] ?? desk) : desk;
  const id = `trouble-${trouble}`;
  return (
    <label className="trouble" data-chosen={isChosen || undefined}>
      <input
        type="radio"
        name="trouble"
        className="trouble-radio"
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-text`}
        checked={isChosen}
        disabled={isDisabled}
        onChange={onChoose}
      />
      <span className="trouble-head">
        <span className="trouble-name" id={`${id}-name`}>
          {name}
        </span>
        <span className="trouble-ends">
          {promiseOutcomes(trouble, sendsThrough).map((outcome) => (
            <OutcomeMark key={outcome} state={outcome} text={outcomeWords[outcome].title} />
          ))}
        </span>
      </span>
      <span className="trouble-text" id={`${id}-text`}>
        <span>{service}</span> <span className="trouble-desk">{deed}</span>
      </span>
    </label>
  );
}
