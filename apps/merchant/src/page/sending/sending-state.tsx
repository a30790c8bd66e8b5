import './dock.css';
import { activityId } from '../activity/activity-id.ts';
import type { LiveUpdate } from '../live/fold-update.ts';
import { activityWords } from '../words/activity.ts';
import { outcomeWords } from '../words/outcomes.ts';
import { sendingWords } from '../words/sending.ts';
import { Countdown } from './countdown.tsx';
import { describeEnd } from './describe-end.ts';
import { OutcomeState } from './outcome-state.tsx';
import { State } from './state.tsx';
import { tellProgress } from './tell-progress.ts';
import type { Sending, SubmitTrouble } from './use-sending.ts';

export interface SendingStateProps {
  readonly sending: Sending;
  /** Whether the form has changed since. */
  readonly isEdited: boolean;
}

/** How the update handed over last stands: on its way to the desk, on its way to the order service, or settled. */
export function SendingState({ sending, isEdited }: SendingStateProps) {
  const { current, ahead, isSubmitting, isAskingAgain, trouble } = sending;
  const { idle, handing, askingAgain } = sendingWords;
  if (isSubmitting) return <State tone="plain" icon="send" {...(isAskingAgain ? askingAgain : handing)} />;
  if (trouble && trouble.kind !== 'refused') return <TroubleState trouble={trouble} />;
  if (!current) return <State tone="plain" icon="send" {...idle} />;
  return <ProgressState current={current} ahead={ahead} isEdited={isEdited} />;
}

function TroubleState({
  trouble,
}: {
  readonly trouble: Exclude<SubmitTrouble, { readonly kind: 'refused' }>;
}) {
  const { lost, notTaken } = sendingWords;
  if (trouble.kind === 'lost') return <State tone="unknown" icon="question" {...lost} />;
  const text = trouble.kind === 'failed' ? trouble.message : notTaken.text;
  return <State tone="not_sent" icon="pause" title={notTaken.title} text={text} />;
}

interface ProgressStateProps {
  readonly current: LiveUpdate;
  readonly ahead: number;
  readonly isEdited: boolean;
}

function ProgressState({ current, ahead, isEdited }: ProgressStateProps) {
  const { update } = current;
  const progress = tellProgress(current);
  switch (progress.kind) {
    case 'queued': {
      const { title, text } = outcomeWords.queued;
      return (
        <State
          tone="plain"
          icon="clock"
          title={title}
          text={ahead > 0 ? sendingWords.queuedBehind(ahead) : text}
        />
      );
    }
    case 'attempt':
      return (
        <State
          tone="plain"
          icon="send"
          title={sendingWords.attempt(progress.number)}
          text={outcomeWords.sending.text}
        />
      );
    case 'waiting': {
      const { next, end, waitMs } = progress;
      return (
        <State
          tone="unknown"
          icon="clock"
          title={
            waitMs === undefined ? (
              sendingWords.waitingInOutbox(next)
            ) : (
              <>
                {sendingWords.waiting(next)} <Countdown key={next} from={end.at} waitMs={waitMs} />
              </>
            )
          }
          text={sendingWords.waitingText(describeEnd(end))}
        />
      );
    }
    case 'settled':
      return update.decision ? (
        <State
          tone="not_sent"
          icon="pause"
          {...(update.decision === 'discarded' ? activityWords.discarded : activityWords.sentAgain)}
        />
      ) : (
        <OutcomeState report={progress.report} isEdited={isEdited} details={<DetailsLink />} />
      );
  }
}

/** Leads to the column that tells all of it, which on a narrow screen is far below. */
function DetailsLink() {
  return (
    <a
      className="dock-link"
      href={`#${activityId}`}
      onClick={(event) => {
        event.preventDefault();
        const activity = document.getElementById(activityId);
        activity?.scrollIntoView({ block: 'nearest' });
        activity?.focus({ preventScroll: true });
      }}
    >
      {sendingWords.details}
    </a>
  );
}
