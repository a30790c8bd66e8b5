import { useEffect, useRef } from 'react';
import type { NumberedEvent } from '../../contract/desk-event.ts';
import { useDeskMessages } from './use-desk-messages.ts';

/** How long events are gathered before they are drawn together, in milliseconds. */
const drawMs = 80;

/** Calls back with the stored events of the desk, a few at a time: a burst has more of them than a page can draw. */
export function useGatheredMessages(
  take: (events: readonly NumberedEvent[]) => void,
  gatherMs: number = drawMs,
): void {
  const gathered = useRef<NumberedEvent[]>([]);
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
    gathered.current.push(message);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      take(gathered.current.splice(0));
    }, gatherMs);
  });
}
