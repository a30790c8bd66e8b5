import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { NumberedEvent } from '../../contract/desk-event.ts';
import type { OrderList, OrderView } from '../../contract/order-view.ts';
import type { UpdateView } from '../../contract/update-view.ts';
import { foldOrder, foldOrders, foldUndecided } from './fold-order.ts';
import { useConnection } from './use-connection.ts';
import { useDeskMessages } from './use-desk-messages.ts';

/** How long applied updates are gathered before what they changed is fetched, in milliseconds. */
const gatherMs = 250;

/** Keeps what was fetched as the desk's events tell it, and fetches anew whenever the page may have missed some. */
export function useLiveCache(): void {
  const client = useQueryClient();
  const connection = useConnection();
  const applied = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  useEffect(() => {
    if (connection === 'open') void client.invalidateQueries();
  }, [client, connection]);

  useEffect(() => () => clearTimeout(timer.current), []);

  useDeskMessages((message) => {
    if (message.type === 'stored') {
      take(message);
      noteApplied(message);
    }
  });

  function take(message: NumberedEvent): void {
    client.setQueryData<OrderView>(
      ['order', message.event.token],
      (before) => before && foldOrder(before, message),
    );
    client.setQueryData<OrderList>(['orders'], (before) => before && foldOrders(before, message));
    client.setQueryData<{ updates: UpdateView[] }>(
      ['undecided'],
      (before) => before && foldUndecided(before, message),
    );
  }

  /** An event does not carry the body that was applied: a few later, one fetch brings it for all of them. */
  function noteApplied({ event }: NumberedEvent): void {
    if (event.kind !== 'update_settled' || event.update.state !== 'applied') return;
    applied.current.add(event.token);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      for (const token of applied.current) void client.invalidateQueries({ queryKey: ['order', token] });
      applied.current.clear();
      void client.invalidateQueries({ queryKey: ['orders'] });
    }, gatherMs);
  }
}
