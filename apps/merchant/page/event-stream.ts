import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { beatMs } from '../shared/limits.ts';

/** When a stream that ended with an HTTP error is opened again, in milliseconds: the browser does not do it. */
const reopenMs = 2_000;
/** How long a stream may be quiet before it is taken for dead, in milliseconds. */
const silenceMs = 3 * beatMs;
/** The least time between two rounds of requests that events cause, in milliseconds. */
const pauseMs = 150;

/** Follows the event stream, and fetches what is shown again when something changed. Returns whether it is connected. */
export function useEventStream(): boolean {
  const client = useQueryClient();
  const [isConnected, setConnected] = useState(true);
  useEffect(() => {
    let isChanged = false;
    let isRefetching = false;
    const refetch = async (): Promise<void> => {
      setConnected(true);
      isChanged = true;
      if (isRefetching) return;
      isRefetching = true;
      // One round at a time: many events cause few requests, and the last event is never missed.
      while (isChanged) {
        isChanged = false;
        await client.invalidateQueries();
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      isRefetching = false;
    };

    let source: EventSource | undefined;
    let reopening: ReturnType<typeof setTimeout> | undefined;
    const reopenIn = (ms: number): void => {
      clearTimeout(reopening);
      reopening = setTimeout(() => {
        setConnected(false);
        open();
      }, ms);
    };
    const stayOpen = () => reopenIn(silenceMs);
    const close = (): void => {
      source?.close();
      clearTimeout(reopening);
    };
    const open = (): void => {
      close();
      // A browser has six connections for all windows of the app: one that is hidden does without.
      if (document.hidden) return;
      source = new EventSource('/api/events');
      stayOpen();
      for (const type of ['open', 'change', 'beat']) source.addEventListener(type, stayOpen);
      // What changed meanwhile is not replayed.
      source.onopen = refetch;
      source.addEventListener('change', refetch);
      source.onerror = () => {
        setConnected(false);
        if (source?.readyState === EventSource.CLOSED) reopenIn(reopenMs);
      };
    };
    document.addEventListener('visibilitychange', open);
    open();
    return () => {
      document.removeEventListener('visibilitychange', open);
      close();
    };
  }, [client]);
  return isConnected;
}
