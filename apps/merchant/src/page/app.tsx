import './app.css';
import { Button } from '@mantine/core';
import { useCallback, useState } from 'react';
import { EditorSkeleton } from './editor/editor-skeleton.tsx';
import { OrderEditor } from './editor/order-editor.tsx';
import { Icon } from './icon.tsx';
import { OrderRail, OrderRailSkeleton } from './orders/order-rail.tsx';
import { useOrders } from './use-orders.ts';
import { words } from './words.ts';

/** The desk: the orders on the left, and the one at hand beside them. */
export function App() {
  const { state, retry, note } = useOrders();
  const [picked, setPicked] = useState<readonly string[]>([]);
  const [edited, setEdited] = useState<ReadonlySet<string>>(new Set());

  const noteEdited = useCallback((token: string, isEdited: boolean) => {
    setEdited((before) => {
      const after = new Set(before);
      if (isEdited) after.add(token);
      else after.delete(token);
      return after;
    });
  }, []);

  const orders = state.status === 'ready' ? state.orders : [];
  const current = picked[0] ?? orders[0]?.token;
  // Every order that was picked stays in the page, hidden, with all that was typed into it.
  const opened = orders.filter(({ token }) => token === current || picked.includes(token));

  return (
    <div className="desk">
      <header className="desk-header">
        <span className="desk-mark">
          <Icon name="cart" size={18} />
        </span>
        <span className="desk-brand">{words.title}</span>
      </header>
      {state.status === 'failed' ? (
        <Notice title={words.orders.failed.title} text={words.orders.failed.text}>
          <Button onClick={retry}>{words.orders.failed.retry}</Button>
        </Notice>
      ) : state.status === 'ready' && orders.length === 0 ? (
        <Notice title={words.orders.none.title} text={words.orders.none.text} />
      ) : (
        <div className="desk-columns">
          {state.status === 'loading' ? (
            <OrderRailSkeleton />
          ) : (
            <OrderRail
              orders={orders}
              current={current}
              edited={edited}
              onPick={(token) =>
                setPicked((before) => [...new Set([token, ...before, ...(current ? [current] : [])])])
              }
            />
          )}
          <main className="desk-main">
            {state.status === 'loading' && <EditorSkeleton />}
            {opened.map((order) => (
              <div key={order.token} hidden={order.token !== current}>
                <OrderEditor order={order} onSent={note} onEdited={noteEdited} />
              </div>
            ))}
          </main>
        </div>
      )}
    </div>
  );
}

function Notice(props: {
  readonly title: string;
  readonly text: string;
  readonly children?: React.ReactNode;
}) {
  return (
    <main className="desk-notice">
      <h1 className="desk-notice-title">{props.title}</h1>
      <p className="desk-notice-text">{props.text}</p>
      {props.children}
    </main>
  );
}
