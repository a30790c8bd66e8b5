import './outbox.css';
import { Button, Skeleton } from '@mantine/core';
import type { OutboxView } from '../../contract/outbox-view.ts';
import { useOutbox } from '../api/outbox.ts';
import { Notice } from '../shell/notice.tsx';
import { formatTime } from '../words/format.ts';
import { outboxWords as words } from '../words/outbox.ts';
import { shellWords } from '../words/shell.ts';
import { OutboxCounts } from './outbox-counts.tsx';
import { UndecidedList } from './undecided-list.tsx';
import { WaitingList } from './waiting-list.tsx';

/** What the outbox has before it, and what of it waits for a person. */
export function OutboxPage() {
  const { data, isError, refetch } = useOutbox();
  if (!data && isError) {
    return (
      <Notice icon="warning" title={words.failed.title} text={words.failed.text}>
        <Button onClick={() => refetch()}>{shellWords.retry}</Button>
      </Notice>
    );
  }
  return (
    <div className="outbox">
      <header className="outbox-head">
        <h1 className="outbox-title">{words.title}</h1>
        <p className="outbox-help">{words.help}</p>
      </header>
      <OutboxCounts counts={data?.counts} />
      <p className="outbox-pace" role="status">
        {data && tellPace(data)}
      </p>
      <div className="outbox-columns">
        <UndecidedList />
        {data ? <WaitingList outbox={data} /> : <Loading />}
      </div>
    </div>
  );
}

function Loading() {
  return (
    <section className="outbox-section" aria-busy="true">
      <span className="for-ears">{words.loading}</span>
      <Skeleton height={180} />
    </section>
  );
}

function tellPace({ service, pausedUntil }: OutboxView): string {
  if (service !== 'ok') return words.stopped[service];
  return pausedUntil === undefined ? words.flows : words.paused(formatTime(pausedUntil));
}
