import { useEffect, useEffectEvent } from 'react';
import type { DeskMessage } from '../../contract/desk-event.ts';
import { useDeskStream } from './desk-stream-context.tsx';

/** Calls back with each message of the desk while the component is shown; the listener may change freely. */
export function useDeskMessages(listener: (message: DeskMessage) => void): void {
  const stream = useDeskStream();
  const onMessage = useEffectEvent(listener);
  useEffect(() => stream.listen((message) => onMessage(message)), [stream]);
}
