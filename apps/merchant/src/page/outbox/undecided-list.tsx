import './outbox.css';
import { Skeleton } from '@mantine/core';
import { useUndecided } from '../api/orders.ts';
import { UndecidedUpdate } from '../decisions/undecided-update.tsx';
import { outboxWords } from '../words/outbox.ts';
import { EmptySection } from './empty-section.tsx';

const words = outboxWords.decide;

/** Updates that need review or were rejected, each with what can be done about it. */
export function UndecidedList() {
  const { data } = useUndecided();
  return (
    <section className="outbox-section" aria-labelledby="outbox-undecided" aria-busy={!data}>
      <h2 className="outbox-section-title" id="outbox-undecided">
        {words.title}
      </h2>
      {!data ? (
        <Skeleton height={180} />
      ) : data.updates.length === 0 ? (
        <EmptySection icon="check" {...words.none} />
      ) : (
        <ul className="decisions-list">
          {data.updates.map((update) => (
            <UndecidedUpdate
              key={`${update.id} ${update.round}`}
              update={update}
              level={3}
              fact={update.state === 'unknown' ? words.needsReview : words.rejected}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
