import './chart.css';
import { Outcome } from '../../contract/update-report.ts';
import { outcomeWords } from '../words/outcomes.ts';
import { switchboardWords } from '../words/switchboard.ts';
import type { Point, Slot } from './slot-attempts.ts';

const words = switchboardWords.chart;

/** What the charts hand to the tip: the point or the slot under the pointer, once or more. */
export interface AttemptTipProps {
  readonly payload?: readonly { readonly payload?: Point | Slot }[];
}

/** What is under the pointer, in words. */
export function AttemptTip({ payload = [] }: AttemptTipProps) {
  const under = payload[0]?.payload;
  if (!under) return null;
  return (
    <div className="chart-tip">
      {'total' in under ? <SlotTip slot={under} /> : <PointTip point={under} />}
    </div>
  );
}

function PointTip({ point: { at, durationMs, outcome, status } }: { readonly point: Point }) {
  return (
    <>
      <strong>{outcomeWords[outcome].title}</strong>
      <span>{words.milliseconds(durationMs)}</span>
      <span>{status === undefined ? words.noStatus : words.status(status)}</span>
      <span>{new Date(at).toLocaleTimeString()}</span>
    </>
  );
}

function SlotTip({ slot }: { readonly slot: Slot }) {
  return (
    <>
      <strong>
        {words.columns.time} {new Date(slot.from).toLocaleTimeString()}
      </strong>
      {Outcome.options
        .filter((outcome) => slot[outcome] > 0)
        .map((outcome) => (
          <span key={outcome}>
            {outcomeWords[outcome].title}: {slot[outcome]}
          </span>
        ))}
      {slot.medianMs !== null && (
        <span>
          {words.columns.median}: {words.milliseconds(slot.medianMs)}
        </span>
      )}
    </>
  );
}
