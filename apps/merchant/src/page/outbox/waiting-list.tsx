import './outbox.css';
import { Link } from 'wouter';
import type { OutboxView, WaitingUpdate } from '../../contract/outbox-view.ts';
import { Mark } from '../activity/mark.tsx';
import { orderHref } from '../orders/order-href.ts';
import { useOrderName } from '../orders/use-order-name.ts';
import { describeEnd } from '../sending/describe-end.ts';
import { formatTime } from '../words/format.ts';
import { outboxWords } from '../words/outbox.ts';
import { EmptySection } from './empty-section.tsx';

const words = outboxWords.queue;

/** Updates that are queued or being sent, the first of them first. */
export function WaitingList({ outbox: { waiting, counts } }: { readonly outbox: OutboxView }) {
  const more = Math.max(0, counts.queued + counts.sending - waiting.length);
  return (
    <section className="outbox-section" aria-labelledby="outbox-queue">
      <h2 className="outbox-section-title" id="outbox-queue">
        {words.title}
      </h2>
      {waiting.length === 0 ? (
        <EmptySection icon="check" {...words.none} />
      ) : (
        <ol className="outbox-queue">
          {waiting.map((one) => (
            <Waiting key={one.update.id} waiting={one} />
          ))}
        </ol>
      )}
      {waiting.length > 0 && more > 0 && <p className="outbox-more">{words.more(more)}</p>}
    </section>
  );
}

function Waiting({ waiting: { update, attempts, waitsFor, lastEnd } }: { readonly waiting: WaitingUpdate }) {
  const name = useOrderName(update.token);
  const facts = [
    words.since(formatTime(update.createdAt)),
    ...(attempts > 0 ? [words.attempts(attempts)] : []),
    ...(lastEnd ? [words.last(describeEnd(lastEnd))] : []),
  ];
  return (
    <li className="outbox-waiting">
      <Mark state={waitsFor === 'answer' ? 'sending' : 'queued'} />
      <Link className="outbox-order" href={orderHref(update.token)}>
        {name}
      </Link>
      <p className="outbox-waits">{words.waitsFor[waitsFor]}</p>
      <p className="outbox-facts">{facts.join(' · ')}</p>
    </li>
  );
}
