import './decisions.css';
import { Button, Skeleton } from '@mantine/core';
import { Link } from 'wouter';
import type { UpdateView } from '../../contract/update-view.ts';
import { DecisionBox } from '../activity/decision-box.tsx';
import { Mark } from '../activity/mark.tsx';
import { UpdateRecords } from '../activity/update-records.tsx';
import { useOrders, useUndecided } from '../api/orders.ts';
import { orderHref } from '../orders/order-href.ts';
import { orderTitle } from '../orders/order-title.ts';
import { Notice } from '../shell/notice.tsx';
import { decisionWords } from '../words/decisions.ts';
import { formatTime } from '../words/format.ts';
import { outcomeWords } from '../words/outcomes.ts';
import { shellWords } from '../words/shell.ts';

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
            <WaitingUpdate key={update.id} update={update} />
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

function WaitingUpdate({ update }: { readonly update: UpdateView }) {
  const order = useOrders().data?.orders.find(({ token }) => token === update.token);
  const name = orderTitle(order ?? { token: update.token, orderId: null });
  return (
    <li className="decisions-item">
      <div className="decisions-item-head">
        <Mark state={update.state} />
        <h2 className="decisions-item-title">{decisionWords.of(name)}</h2>
        <Link className="decisions-link" href={orderHref(update.token)}>
          {decisionWords.open}
        </Link>
        <p className="decisions-facts">
          {decisionWords.accepted(formatTime(update.createdAt))} · {outcomeWords.unknown.title}
        </p>
      </div>
      <div className="decisions-columns">
        <DecisionBox update={update} />
        <UpdateRecords update={update} />
      </div>
    </li>
  );
}
