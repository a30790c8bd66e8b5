import './decisions.css';
import { Button, Skeleton } from '@mantine/core';
import { Link } from 'wouter';
import { useUndecided } from '../api/orders.ts';
import { Notice } from '../shell/notice.tsx';
import { decisionWords } from '../words/decisions.ts';
import { outcomeWords } from '../words/outcomes.ts';
import { shellWords } from '../words/shell.ts';
import { UndecidedUpdate } from './undecided-update.tsx';

/** Every update that waits for a person, across orders. */
export function DecisionsPage() {
  const { data, isError, refetch } = useUndecided();
  const { title, help, count, none, failed, loading } = decisionWords;
  if (!data && isError) {
    return (
      <Notice icon="warning" title={failed.title} text={failed.text}>
        <Button onClick={() => refetch()}>{shellWords.retry}</Button>
      </Notice>
    );
  }
  if (data?.updates.length === 0) {
    return (
      <Notice icon="check" title={none.title} text={none.text}>
        <Button component={Link} href="/" variant="default">
          {none.back}
        </Button>
      </Notice>
    );
  }
  return (
    <div className="decisions">
      <div className="decisions-head">
        <h1 className="decisions-title">{title}</h1>
        {data && <span className="decisions-count">{count(data.updates.length)}</span>}
        <p className="decisions-help">{help}</p>
      </div>
      {data ? (
        <ul className="decisions-list">
          {data.updates.map((update) => (
            <UndecidedUpdate
              key={update.id}
              update={update}
              level={2}
              fact={outcomeWords[update.state].title}
            />
          ))}
        </ul>
      ) : (
        <div className="decisions-list" aria-busy="true">
          <span className="for-ears">{loading}</span>
          <Skeleton height={220} />
          <Skeleton height={220} />
        </div>
      )}
    </div>
  );
}
