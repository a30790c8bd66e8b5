import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { NumberedEvent } from '../../contract/desk-event.ts';
import type { MeasuredAttempt } from '../../contract/switchboard-view.ts';
import { fetchAttempts } from '../api/switchboard.ts';
import { useGatheredMessages } from '../live/use-gathered-messages.ts';
import { mergeAttempts, type SlottedAttempts, slotAttempts, slotMs } from './slot-attempts.ts';

/** How many attempts that were heard of are kept. */
const maxHeard = 2000;

/** The attempts of the last five minutes: those that the desk kept, and from then on those that it tells of. */
export function useSlottedAttempts() {
  const { data, isPending, isError } = useQuery({
    queryKey: ['attempts'],
    queryFn: ({ signal }) => fetchAttempts(signal),
  });
  const [heard, setHeard] = useState<readonly MeasuredAttempt[]>([]);
  const now = useSlotClock();

  useGatheredMessages((events) => {
    const attempts = events.flatMap(readAttempt);
    if (attempts.length > 0) setHeard((before) => [...before, ...attempts].slice(-maxHeard));
  });

  const slotted: SlottedAttempts = useMemo(
    () => slotAttempts(mergeAttempts(data ?? [], heard), now),
    [data, heard, now],
  );
  return { slotted, isPending, isError };
}

function readAttempt({ at, event }: NumberedEvent): readonly MeasuredAttempt[] {
  if (event.kind !== 'attempt_ended') return [];
  const { token, durationMs, outcome, status } = event;
  return [{ at, token, durationMs, outcome, ...(status === undefined ? {} : { status }) }];
}

/** The beginning of the slot that it is now, in milliseconds since the epoch. */
function useSlotClock(): number {
  const [now, setNow] = useState(readSlot);
  useEffect(() => {
    const timer = setInterval(() => setNow(readSlot()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function readSlot(): number {
  return Math.floor(Date.now() / slotMs) * slotMs;
}
