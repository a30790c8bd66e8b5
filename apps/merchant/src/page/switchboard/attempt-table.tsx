import './chart.css';
import { Outcome } from '../../contract/update-report.ts';
import { outcomeWords } from '../words/outcomes.ts';
import { switchboardWords } from '../words/switchboard.ts';
import type { Slot } from './slot-attempts.ts';

const words = switchboardWords.chart;

/** The figures of the charts, newest first; slots without attempts are left out. */
export function AttemptTable({ slots }: { readonly slots: readonly Slot[] }) {
  return (
    <table className="chart-table">
      <caption>{words.title}</caption>
      <thead>
        <tr>
          <th scope="col">{words.columns.time}</th>
          <th scope="col">{words.columns.attempts}</th>
          {Outcome.options.map((outcome) => (
            <th key={outcome} scope="col">
              {outcomeWords[outcome].title}
            </th>
          ))}
          <th scope="col">{words.columns.median}</th>
        </tr>
      </thead>
      <tbody>
        {slots
          .filter(({ total }) => total > 0)
          .reverse()
          .map((slot) => (
            <tr key={slot.from}>
              <th scope="row">{new Date(slot.from).toLocaleTimeString()}</th>
              <td>{slot.total}</td>
              {Outcome.options.map((outcome) => (
                <td key={outcome}>{slot[outcome]}</td>
              ))}
              <td>{slot.medianMs === null ? '' : words.milliseconds(slot.medianMs)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
