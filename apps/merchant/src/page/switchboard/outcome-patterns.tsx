import { Outcome } from '../../contract/update-report.ts';

/** How a bar of an outcome is filled: told by its pattern as by its colour. */
export function outcomeFill(outcome: Outcome): string {
  return `url(#outcome-fill-${outcome})`;
}

/** The patterns that `outcomeFill` names, for every drawing of the page. */
export function OutcomePatterns() {
  return (
    <svg className="outcome-patterns" width="0" height="0" aria-hidden="true">
      <defs>
        {Outcome.options.map((outcome) => (
          <pattern
            key={outcome}
            id={`outcome-fill-${outcome}`}
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
          >
            <g className="outcome-ink" data-state={outcome}>
              <rect
                width="6"
                height="6"
                className={outcome === 'applied' ? 'outcome-full' : 'outcome-faint'}
              />
              <path d={strokes[outcome]} />
            </g>
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

/** Plain, slanted, dotted, and crossed. */
const strokes: Readonly<Record<Outcome, string>> = {
  applied: '',
  rejected: 'M-1 1l2-2 M0 6L6 0 M5 7l2-2',
  not_sent: 'M2 3h2',
  unknown: 'M0 3h6 M3 0v6',
};

export interface OutcomePointProps {
  readonly outcome: Outcome;
  /** Centre, in pixels. */
  readonly x: number;
  readonly y: number;
}

/** One attempt in a drawing: a shape for each outcome. */
export function OutcomePoint({ outcome, x, y }: OutcomePointProps) {
  return (
    <path
      className="outcome-point"
      data-state={outcome}
      data-hollow={outcome === 'applied' ? undefined : ''}
      transform={`translate(${x} ${y})`}
      d={points[outcome]}
    />
  );
}

/** A disc, a cross, a square and a triangle. */
const points: Readonly<Record<Outcome, string>> = {
  applied: 'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0',
  rejected: 'M-3.5 -3.5L3.5 3.5 M-3.5 3.5L3.5 -3.5',
  not_sent: 'M-3.2 -3.2h6.4v6.4h-6.4z',
  unknown: 'M0 -4.2L4 3.2H-4z',
};
