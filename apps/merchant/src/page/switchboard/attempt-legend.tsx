import './chart.css';
import { Outcome } from '../../contract/update-report.ts';
import { outcomeWords } from '../words/outcomes.ts';
import { switchboardWords } from '../words/switchboard.ts';
import { OutcomePoint, outcomeFill } from './outcome-patterns.tsx';

/** What shapes and patterns of the charts mean, and how many attempts ended so. */
export function AttemptLegend({ totals }: { readonly totals: Readonly<Record<Outcome, number>> }) {
  return (
    <ul className="chart-legend" aria-label={switchboardWords.chart.legend}>
      {Outcome.options.map((outcome) => (
        <li key={outcome}>
          <svg width="34" height="14" aria-hidden="true">
            <OutcomePoint outcome={outcome} x={7} y={7} />
            <rect
              className="outcome-bar"
              data-state={outcome}
              x="18.5"
              y="1.5"
              width="13"
              height="11"
              fill={outcomeFill(outcome)}
            />
          </svg>
          {outcomeWords[outcome].title}
          <span className="chart-count">{totals[outcome]}</span>
        </li>
      ))}
    </ul>
  );
}
