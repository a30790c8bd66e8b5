import './outbox.css';
import type { OutboxView } from '../../contract/outbox-view.ts';
import type { UpdateState } from '../../contract/update-view.ts';
import { Mark } from '../activity/mark.tsx';
import { outboxWords } from '../words/outbox.ts';

const kinds = ['queued', 'sending', 'needsReview', 'rejected'] as const;
type Kind = (typeof kinds)[number];

const stateOf: Readonly<Record<Kind, UpdateState>> = {
  queued: 'queued',
  sending: 'sending',
  needsReview: 'unknown',
  rejected: 'rejected',
};

/** How many updates there are of each kind; undefined while that is not known. */
export function OutboxCounts({ counts }: { readonly counts: OutboxView['counts'] | undefined }) {
  const words = outboxWords.counts;
  return (
    <dl className="outbox-counts" aria-label={words.label}>
      {kinds.map((kind) => (
        <div key={kind} className="outbox-count" data-kind={counts?.[kind] ? kind : undefined}>
          <dt>
            <Mark state={stateOf[kind]} />
            {words[kind].name}
          </dt>
          <dd>
            <span className="outbox-number">{counts ? counts[kind].toLocaleString('en') : '–'}</span>{' '}
            {words[kind].text}
          </dd>
        </div>
      ))}
    </dl>
  );
}
