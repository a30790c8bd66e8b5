import './rail.css';
import { Skeleton } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { OrderSummary } from '../../contract/order-view.ts';
import { titleOf } from '../activity/title-of.ts';
import { useUndecided } from '../api/orders.ts';
import { Icon } from '../icon.tsx';
import { outcomeIcon } from '../outcome-icon.ts';
import { orderWords } from '../words/orders.ts';
import { bringIntoView } from './bring-into-view.ts';
import { filterOrders } from './filter-orders.ts';
import { OrderFilter } from './order-filter.tsx';
import { orderHref } from './order-href.ts';
import { orderTitle } from './order-title.ts';

/** As many orders as the eye finds its way in without help. */
const fewOrders = 8;

export interface OrderRailProps {
  readonly orders: readonly OrderSummary[];
  /** Token of the order that is shown. */
  readonly current: string | undefined;
}

/** The orders to pick from, each with its state. */
export function OrderRail({ orders, current }: OrderRailProps) {
  const [text, setText] = useState('');
  const undecided = new Set(useUndecided().data?.updates.map(({ token }) => token));
  const found = filterOrders(orders, text);
  return (
    <nav className="rail" aria-label={orderWords.title}>
      <h2 className="rail-title">
        {orderWords.title} <span className="rail-count">{orders.length}</span>
      </h2>
      {orders.length > fewOrders && <OrderFilter text={text} found={found.length} onChange={setText} />}
      <ul className="rail-list">
        {found.map((order) => (
          <li key={order.token}>
            <Link
              href={orderHref(order.token)}
              className="rail-order"
              aria-current={order.token === current ? 'page' : undefined}
              ref={order.token === current ? bringIntoView : undefined}
            >
              <span className="rail-name">{orderTitle(order)}</span>
              <span className="rail-facts">{tellFacts(order)}</span>
              <Mark order={order} isUndecided={undecided.has(order.token)} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The rail while the orders are on their way. */
export function OrderRailSkeleton() {
  return (
    <nav className="rail" aria-label={orderWords.loading} aria-busy="true">
      <h2 className="rail-title">{orderWords.title}</h2>
      <div className="rail-list">
        {[0, 1, 2, 3].map((index) => (
          <Skeleton key={index} height={58} />
        ))}
      </div>
    </nav>
  );
}

/** What of an order asks for attention first: a decision, then what is on its way, then what was typed. */
function Mark({ order, isUndecided }: { readonly order: OrderSummary; readonly isUndecided: boolean }) {
  const { lastUpdate, hasDraft } = order;
  const state = lastUpdate?.state;
  const isOpen = state === 'queued' || state === 'sending';
  if (isUndecided && !isOpen) {
    return (
      <span className="rail-mark" data-outcome="unknown">
        <Icon name={outcomeIcon.unknown} size={12} />
        {orderWords.decide}
      </span>
    );
  }
  if (hasDraft && !isOpen) {
    return (
      <span className="rail-mark" data-edited="">
        {orderWords.edited}
      </span>
    );
  }
  if (!lastUpdate) return null;
  const shown = lastUpdate.decision ? 'not_sent' : lastUpdate.state;
  return (
    <span className="rail-mark" data-outcome={shown}>
      <Icon name={outcomeIcon[shown]} size={12} />
      {titleOf(lastUpdate)}
    </span>
  );
}

function tellFacts({ lines, currency }: OrderSummary): string {
  const count = orderWords.lines(lines);
  return currency ? `${count} · ${currency}` : count;
}
