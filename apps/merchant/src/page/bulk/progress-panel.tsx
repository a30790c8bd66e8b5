import './bulk.css';
import { Button } from '@mantine/core';
import type { BulkView } from '../../contract/bulk-view.ts';
import { Icon } from '../icon.tsx';
import { bulkWords } from '../words/bulk.ts';
import { ProgressBar } from './progress-bar.tsx';
import { stageOf, type Tally, tallyOf } from './tally.ts';
import type { BulkActions } from './use-bulk-actions.ts';

const words = bulkWords.panel;

export interface ProgressPanelProps {
  readonly bulk: BulkView;
  readonly actions: BulkActions;
}

/** How far the file is sent, and the button for what comes next. It keeps its height whatever it says. */
export function ProgressPanel({ bulk, actions }: ProgressPanelProps) {
  const tally = tallyOf(bulk);
  const { title, text } = tell(bulk, tally);
  const { ratePerSecond, secondsLeft, problem } = bulk;
  const facts = [
    [words.facts.settled, words.settled(tally.settled, tally.sendable)],
    [words.facts.rate, ratePerSecond === undefined ? words.none : words.rate(ratePerSecond)],
    [words.facts.left, secondsLeft === undefined ? words.none : words.left(secondsLeft)],
  ];
  return (
    <section className="bulk-section panel" aria-labelledby="panel-title">
      <div className="panel-said">
        <h2 className="panel-title" id="panel-title">
          {title}
        </h2>
        <p className="panel-text">{text}</p>
      </div>
      <NextButton bulk={bulk} tally={tally} actions={actions} />
      <div className="panel-progress">
        <ProgressBar bulk={bulk} tally={tally} />
        <dl className="panel-facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <p className="for-ears" role="status">
        {words.said(title, Math.floor(tally.percent / 10) * 10)}
      </p>
      <div className="panel-problems" role="alert">
        {[problem, actions.problem].map(
          (said) =>
            said !== undefined && (
              <p className="bulk-problem" key={said}>
                <Icon name="warning" />
                <span>{said}</span>
              </p>
            ),
        )}
      </div>
    </section>
  );
}

function tell(bulk: BulkView, { waiting, sending, bad, notSent }: Tally) {
  switch (stageOf(bulk)) {
    case 'preview':
      return { title: words.preview.title(waiting), text: words.preview.text(bad, waiting) };
    case 'running':
      return words.running;
    case 'pausing':
      return { title: words.pausing.title, text: words.pausing.text(sending) };
    case 'paused': {
      const left = waiting + notSent;
      return { title: words.paused.title, text: left > 0 ? words.paused.text(left) : words.paused.nothing };
    }
    case 'done':
      return { title: words.done.title, text: notSent > 0 ? words.done.again(notSent) : words.done.text };
  }
}

function NextButton({ bulk, tally, actions }: ProgressPanelProps & { readonly tally: Tally }) {
  const { act, pending } = actions;
  const stage = stageOf(bulk);
  const left = tally.waiting + tally.notSent;
  if (stage === 'running' || stage === 'pausing') {
    return (
      <Button
        className="panel-next"
        variant="default"
        leftSection={<Icon name="pause" />}
        loading={stage === 'pausing' || pending === 'pause'}
        onClick={() => act('pause')}
      >
        {words.pause}
      </Button>
    );
  }
  if (left === 0) return <span className="panel-next" />;
  const label =
    stage === 'preview' ? words.send(left) : stage === 'paused' ? words.continue : words.sendAgain(left);
  return (
    <Button
      className="panel-next"
      leftSection={<Icon name="send" />}
      loading={pending === 'start'}
      onClick={() => act('start')}
    >
      {label}
    </Button>
  );
}
