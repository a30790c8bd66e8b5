import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { OutboxView } from '../../contract/outbox-view.ts';
import { useDeskMessages } from '../live/use-desk-messages.ts';
import { requestJson } from './request.ts';

const queryKey = ['outbox'];
/** How long events are gathered before the outbox is looked at again, in milliseconds. */
const gatherMs = 200;
/** How often it is looked at while the order service has it wait, in milliseconds: the end of that is not told. */
const pausedMs = 1_000;

/** How the outbox stands, looked at again soon after anything happens in it. */
export function useOutbox() {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );

  useDeskMessages((message) => {
    if (message.type !== 'stored') return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey });
    }, gatherMs);
  });

  return useQuery({
    queryKey,
    queryFn: ({ signal }) => requestJson(OutboxView, '/api/outbox', { signal }),
    // What was seen before another view was looked at may be long over.
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.pausedUntil === undefined ? false : pausedMs),
  });
}
