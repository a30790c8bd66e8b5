import './lanes.css';
import { memo } from 'react';
import { Link } from 'wouter';
import { outcomeWords } from '../words/outcomes.ts';
import { switchboardWords } from '../words/switchboard.ts';
import { arrangeLane, type LaneUpdate } from './lanes.ts';
import { OutcomeMark } from './outcome-mark.tsx';

export interface LaneRowProps {
  readonly title: string;
  readonly lane: readonly LaneUpdate[];
  /** Whether that is all there is in it. */
  readonly isKnown: boolean;
}

const words = switchboardWords.lanes;
/** How many chips are drawn on either side of the one on its way; as many are seen as there is room for. */
const maxChips = 12;

/** One order's lane: what is done, the one update on its way or that holds it, and what waits behind it. */
export const LaneRow = memo(function LaneRow({ title, lane, isKnown }: LaneRowProps) {
  const { done, current, queued } = arrangeLane(lane);
  return (
    <li className="lane">
      <h3 className="lane-name" title={title}>
        {title}
      </h3>
      <p className="lane-counts">{isKnown && words.counts(done.length, queued.length)}</p>
      <Chips label={words.done} side="done" updates={done} />
      <div className="lane-now">{current ? <Current update={current} /> : isKnown && <Idle />}</div>
      <Chips label={words.next} side="next" updates={queued} />
    </li>
  );
});

interface ChipsProps {
  readonly label: string;
  readonly side: 'done' | 'next';
  readonly updates: readonly LaneUpdate[];
}

function Chips({ label, side, updates }: ChipsProps) {
  return (
    <ul className="lane-chips" data-side={side} aria-label={label}>
      {updates.slice(0, maxChips).map((update) => (
        <li key={update.id}>
          <Chip update={update} />
        </li>
      ))}
    </ul>
  );
}

function Chip({ update: { stage } }: { readonly update: LaneUpdate }) {
  switch (stage.kind) {
    case 'queued':
      return <OutcomeMark state="queued" text={words.queued} />;
    case 'done':
      return <OutcomeMark state={stage.outcome} text={outcomeWords[stage.outcome].title} />;
    case 'held':
      return <OutcomeMark state="unknown" text={words.held} />;
    case 'sending':
      return <OutcomeMark state="sending" text={words.sending(stage.attempt)} />;
    case 'waiting':
      return (
        <OutcomeMark
          state="sending"
          icon="repeat"
          text={
            stage.forMs === undefined
              ? words.waitingInOutbox(stage.attempt)
              : words.waiting((stage.forMs / 1000).toFixed(1), stage.attempt)
          }
        />
      );
  }
}

function Current({ update }: { readonly update: LaneUpdate }) {
  const { stage } = update;
  if (stage.kind === 'held') {
    return (
      <Link className="lane-held" href="/outbox">
        <Chip update={update} />
      </Link>
    );
  }
  return (
    <>
      <Chip update={update} />
      {stage.kind === 'waiting' && stage.forMs !== undefined && (
        <span
          // Each wait runs its own course.
          key={`${update.id} ${stage.attempt}`}
          className="lane-wait"
          style={{ animationDuration: `${stage.forMs}ms` }}
        />
      )}
    </>
  );
}

function Idle() {
  return <span className="lane-idle">{words.idle}</span>;
}
