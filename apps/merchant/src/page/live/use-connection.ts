import { useSyncExternalStore } from 'react';
import type { ConnectionState } from './desk-stream.ts';
import { useDeskStream } from './desk-stream-context.tsx';

/** Whether the page hears the desk. */
export function useConnection(): ConnectionState {
  const stream = useDeskStream();
  return useSyncExternalStore(stream.watch, () => stream.state);
}
