import './rail.css';
import { Skeleton } from '@mantine/core';
import type { KnownOrder } from '../../contract/known-order.ts';
import { Icon } from '../icon.tsx';
import { outcomeIcon } from '../outcome-icon.ts';
import { words } from '../words.ts';
import { orderTitle } from './order-title.ts';

export interface OrderRailProps {
  readonly orders: readonly KnownOrder[];
  readonly current: string | undefined;
  readonly edited: ReadonlySet<string>;
  readonly onPick: (token: string) => void;
}

/** The orders to pick from, each with its last outcome. */
export function OrderRail({ orders, current, edited, onPick }: OrderRailProps) {
  return (
    <nav className="rail" aria-label={words.orders.title}>
      <h2 className="rail-title">
        {words.orders.title} <span className="rail-count">{orders.length}</span>
      </h2>
      <ul className="rail-list">
        {orders.map((order) => (
          <li key={order.token}>
            <button
              type="button"
              className="rail-order"
              aria-current={order.token === current ? 'true' : undefined}
              onClick={() => onPick(order.token)}
            >
              <span className="rail-name">{orderTitle(order)}</span>
              <span className="rail-facts">{tellFacts(order)}</span>
              <Mark order={order} isEdited={edited.has(order.token)} />
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The rail while the orders are on their way. */
export function OrderRailSkeleton() {
  return (
    <nav className="rail" aria-label={words.orders.loading} aria-busy="true">
      <h2 className="rail-title">{words.orders.title}</h2>
      <div className="rail-list">
        {[0, 1, 2, 3].map((index) => (
          <Skeleton key={index} height={58} />
        ))}
      </div>
    </nav>
  );
}

function Mark({ order, isEdited }: { readonly order: KnownOrder; readonly isEdited: boolean }) {
  if (isEdited) {
    return (
      <span className="rail-mark" data-edited="">
        {words.orders.edited}
      </span>
    );
  }
  if (!order.report) return null;
  const { outcome } = order.report;
  return (
    <span className="rail-mark" data-outcome={outcome}>
      <Icon name={outcomeIcon[outcome]} size={12} />
      {words.outcomes[outcome].title}
    </span>
  );
}

function tellFacts({ draft }: KnownOrder): string {
  const lines = words.orders.lines(draft.cart.items?.length ?? 0);
  return draft.purchase_currency ? `${lines} · ${draft.purchase_currency}` : lines;
}
