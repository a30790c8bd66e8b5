import { useCallback, useEffect, useState } from 'react';
import type { KnownOrder } from '../contract/known-order.ts';
import { fetchOrders } from './desk-api.ts';

export type OrdersState =
  | { readonly status: 'loading' | 'failed' }
  | { readonly status: 'ready'; readonly orders: readonly KnownOrder[] };

/** The orders of the desk, loaded once, with a way to load them again and one to note what changed here. */
export function useOrders() {
  const [state, setState] = useState<OrdersState>({ status: 'loading' });
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is what loads again.
  useEffect(() => {
    const leaving = new AbortController();
    fetchOrders(leaving.signal).then(
      (orders) => setState({ status: 'ready', orders }),
      () => leaving.signal.aborted || setState({ status: 'failed' }),
    );
    return () => leaving.abort();
  }, [round]);

  const retry = useCallback(() => {
    setState({ status: 'loading' });
    setRound((before) => before + 1);
  }, []);

  const note = useCallback((changed: KnownOrder) => {
    setState((before) =>
      before.status === 'ready'
        ? {
            status: 'ready',
            orders: before.orders.map((one) => (one.token === changed.token ? changed : one)),
          }
        : before,
    );
  }, []);

  return { state, retry, note };
}
