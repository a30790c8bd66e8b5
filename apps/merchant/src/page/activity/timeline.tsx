import './activity.css';
import type { ReactNode } from 'react';
import type { UpdateState } from '../../contract/update-view.ts';
import { Icon, type IconName } from '../icon.tsx';
import type { LiveUpdate } from '../live/fold-update.ts';
import { outcomeIcon } from '../outcome-icon.ts';
import { Countdown } from '../sending/countdown.tsx';
import { describeEnd } from '../sending/describe-end.ts';
import { activityWords } from '../words/activity.ts';
import { formatDuration, formatSeconds, formatTime } from '../words/format.ts';
import { appliedUnread, outcomeWords } from '../words/outcomes.ts';
import { listSteps, type Step } from './list-steps.ts';
import { titleOf } from './title-of.ts';

/** The steps of an update, drawn as they happen. */
export function Timeline({ live }: { readonly live: LiveUpdate }) {
  return (
    <ol className="timeline">
      {listSteps(live).map((step) => (
        <TimelineStep key={keyOf(step)} step={step} live={live} />
      ))}
    </ol>
  );
}

function keyOf(step: Step): string {
  return 'number' in step ? `${step.kind} ${step.number}` : step.kind;
}

function TimelineStep({
  step,
  live: { update, attempts },
}: {
  readonly step: Step;
  readonly live: LiveUpdate;
}) {
  switch (step.kind) {
    case 'queued':
      return (
        <Row icon="inbox" title={activityWords.queued} aside={formatTime(step.at)}>
          {update.repeats ? activityWords.repeats : activityWords.queuedText}
        </Row>
      );
    case 'attempt': {
      const { number, end } = step;
      const isOpen = !end && !update.report && number === attempts.at(-1)?.number;
      return (
        <Row
          icon={end ? outcomeIcon[end.outcome] : 'send'}
          tone={end?.outcome}
          isOpen={isOpen}
          title={activityWords.attempt(number)}
          aside={end && activityWords.took(formatDuration(end.durationMs))}
        >
          {end ? describeEnd(end) : isOpen ? activityWords.underWay : activityWords.unrecorded}
        </Row>
      );
    }
    case 'wait': {
      const { from, waitMs, isOver } = step;
      const duration = waitMs === undefined ? '' : formatSeconds(waitMs);
      return (
        <Row
          icon="clock"
          isOpen={!isOver}
          title={isOver ? activityWords.waited(duration) : activityWords.waiting(duration)}
          aside={!isOver && waitMs !== undefined && <Countdown from={from} waitMs={waitMs} />}
        >
          {activityWords.waitingText}
        </Row>
      );
    }
    case 'reopened':
      return (
        <Row icon="repeat" title={activityWords.reopened} aside={formatTime(step.at)}>
          {activityWords.reopenedText}
        </Row>
      );
    case 'settled': {
      const { outcome, ok } = update.report ?? {};
      const isUnread = outcome === 'applied' && !ok;
      const said = update.decision === 'discarded' ? activityWords.discarded : activityWords.sentAgain;
      const text = isUnread ? appliedUnread : outcomeWords[step.state].text;
      return (
        <Row
          icon={outcomeIcon[step.state]}
          tone={step.state}
          isFilled
          title={titleOf(update)}
          aside={formatTime(step.at)}
        >
          {update.decision ? said.text : text}
        </Row>
      );
    }
  }
}

interface RowProps {
  readonly icon: IconName;
  readonly title: string;
  readonly tone?: UpdateState | undefined;
  /** Whether it goes on now. */
  readonly isOpen?: boolean;
  readonly isFilled?: boolean;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

function Row({ icon, title, tone, isOpen, isFilled, aside, children }: RowProps) {
  return (
    <li className="timeline-step" data-open={isOpen || undefined}>
      <span className="mark" data-state={tone} data-filled={isFilled}>
        <Icon name={icon} size={12} />
      </span>
      <p className="timeline-title">{title}</p>
      <span className="timeline-aside">{aside}</span>
      <p className="timeline-text">{children}</p>
    </li>
  );
}
