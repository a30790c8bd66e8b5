import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { BulkList, BulkView } from '../../contract/bulk-view.ts';
import { foldBulks } from '../api/bulks.ts';
import { useDeskMessages } from '../live/use-desk-messages.ts';

/** How often the rows in view are fetched anew while a bulk runs, in milliseconds. */
const rowsEveryMs = 1_000;

/** Keeps the files, and the rows in view, as the desk's events tell them. */
export function useLiveBulks(): void {
  const client = useQueryClient();
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>());

  useEffect(() => {
    const running = timers.current;
    return () => {
      for (const timer of running.values()) clearTimeout(timer);
      running.clear();
    };
  }, []);

  useDeskMessages((message) => {
    if (message.type !== 'passing' || message.event.kind !== 'bulk_changed') return;
    const { bulk } = message.event;
    client.setQueryData<BulkView>(['bulk', bulk.id], bulk);
    client.setQueryData<BulkList>(['bulks'], (before) => before && foldBulks(before, bulk));
    refreshRows(bulk);
  });

  function refreshRows({ id, state }: BulkView): void {
    const refresh = () => {
      clearTimeout(timers.current.get(id));
      timers.current.delete(id);
      void client.invalidateQueries({ queryKey: ['bulk-rows', id] });
    };
    if (state !== 'running') refresh();
    else if (!timers.current.has(id)) timers.current.set(id, setTimeout(refresh, rowsEveryMs));
  }
}
