import './chart.css';
import { Bar, BarChart, CartesianGrid, Scatter, ScatterChart, Tooltip, XAxis, YAxis } from 'recharts';
import { Outcome } from '../../contract/update-report.ts';
import { outcomeWords } from '../words/outcomes.ts';
import { switchboardWords } from '../words/switchboard.ts';
import { AttemptTip } from './attempt-tip.tsx';
import { OutcomePoint, outcomeFill } from './outcome-patterns.tsx';
import { type Point, type SlottedAttempts, slotMs } from './slot-attempts.ts';

const words = switchboardWords.chart;

/** Both charts stand on one time axis, so what is left and right of them must be as wide. */
const frame = {
  responsive: true,
  className: 'chart-drawing',
  margin: { top: 8, right: 24, bottom: 4, left: 0 },
  accessibilityLayer: false,
} as const;
const axis = { axisLine: false, tickLine: false, tick: { fontSize: 12 } } as const;
const minuteMs = 60_000;

/** How long attempts took, above how many ended how; for the eye alone, the table tells the same. */
export function AttemptCharts({ slotted }: { readonly slotted: SlottedAttempts }) {
  const { from, to, slots, points } = slotted;
  const minutes = [5, 4, 3, 2, 1, 0].map((ago) => to - ago * minuteMs);
  // Slots have names, not places: a minute begins with the slot that begins with it, and the last one is now.
  const labelled = [...minutes.slice(0, -1), to - slotMs];
  const tellMinute = (at: number) =>
    at === to - slotMs ? words.now : words.minutesAgo(Math.round((to - at) / minuteMs));
  return (
    <>
      <p className="chart-name">{words.latency}</p>
      <div className="chart-latency">
        <ScatterChart {...frame}>
          <CartesianGrid className="chart-grid" vertical={false} />
          <XAxis {...axis} type="number" dataKey="at" domain={[from, to]} ticks={minutes} hide />
          <YAxis
            {...axis}
            type="number"
            dataKey="durationMs"
            domain={[0, 'auto']}
            width={58}
            tickCount={4}
            interval={0}
            tickFormatter={words.milliseconds}
          />
          <Tooltip cursor={false} isAnimationActive={false} content={AttemptTip} />
          {Outcome.options.map((outcome) => (
            <Scatter
              key={outcome}
              name={outcomeWords[outcome].title}
              data={points.filter((point) => point.outcome === outcome)}
              shape={drawPoint}
              isAnimationActive={false}
            />
          ))}
        </ScatterChart>
      </div>
      <p className="chart-name">{words.outcomes}</p>
      <div className="chart-outcomes">
        <BarChart {...frame} data={[...slots]} barCategoryGap={2}>
          <CartesianGrid className="chart-grid" vertical={false} />
          <XAxis
            {...axis}
            dataKey="from"
            ticks={labelled}
            tickFormatter={tellMinute}
            interval="equidistantPreserveStart"
            height={24}
          />
          <YAxis {...axis} width={58} allowDecimals={false} tickCount={4} />
          <Tooltip cursor={{ className: 'chart-cursor' }} isAnimationActive={false} content={AttemptTip} />
          {Outcome.options.map((outcome) => (
            <Bar
              key={outcome}
              dataKey={outcome}
              stackId="outcomes"
              name={outcomeWords[outcome].title}
              className="outcome-bar"
              data-state={outcome}
              fill={outcomeFill(outcome)}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </div>
    </>
  );
}

interface DrawnPoint {
  readonly cx?: number | undefined;
  readonly cy?: number | undefined;
  readonly payload?: Point;
}

function drawPoint({ cx, cy, payload }: DrawnPoint) {
  if (cx === undefined || cy === undefined || !payload) return <g />;
  return <OutcomePoint outcome={payload.outcome} x={cx} y={cy} />;
}
