import './chart.css';
import { SegmentedControl } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Outcome } from '../../contract/update-report.ts';
import { switchboardWords } from '../words/switchboard.ts';
import { AttemptLegend } from './attempt-legend.tsx';
import { AttemptTable } from './attempt-table.tsx';
import { OutcomePatterns } from './outcome-patterns.tsx';
import { useSlottedAttempts } from './use-slotted-attempts.ts';

const words = switchboardWords.chart;

// Most of the view is there before what draws charts, which is larger than all the rest.
const AttemptCharts = lazy(async () => ({ default: (await import('./attempt-charts.tsx')).AttemptCharts }));

/** The attempts of the last five minutes, drawn or in figures. */
export function AttemptBoard() {
  const { slotted, isPending, isError } = useSlottedAttempts();
  const [shown, setShown] = useState<'chart' | 'table'>('chart');
  const { totals, slots } = slotted;
  const shares = Outcome.options.map((outcome) => [outcome, totals[outcome]] as const);
  const total = shares.reduce((sum, [, count]) => sum + count, 0);
  return (
    <section className="board-section" aria-labelledby="chart-title">
      <div className="board-head">
        <h2 className="board-title" id="chart-title">
          {words.title}
        </h2>
        <p className="board-help">{isError ? words.failed : words.help}</p>
        <SegmentedControl
          aria-label={words.view}
          size="xs"
          value={shown}
          onChange={setShown}
          data={[
            { value: 'chart', label: words.asChart },
            { value: 'table', label: words.asTable },
          ]}
        />
      </div>
      <OutcomePatterns />
      <AttemptLegend totals={totals} />
      {total === 0 ? (
        <div className="chart-frame chart-none" aria-busy={isPending}>
          <strong>{isPending ? words.loading : words.none.title}</strong>
          <p>{isPending ? '' : words.none.text}</p>
        </div>
      ) : shown === 'table' ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
        <section className="chart-frame chart-scroll" tabIndex={0} aria-label={words.asTable}>
          <AttemptTable slots={slots} />
        </section>
      ) : (
        <div
          className="chart-frame"
          role="img"
          aria-label={words.summary(
            total,
            shares.filter(([, count]) => count > 0),
          )}
        >
          <Suspense>
            <AttemptCharts slotted={slotted} />
          </Suspense>
        </div>
      )}
    </section>
  );
}
