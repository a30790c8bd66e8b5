import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState } from 'react';
import { fetchLaneEvents } from '../api/switchboard.ts';
import { useGatheredMessages } from '../live/use-gathered-messages.ts';
import { foldLanes, type Lanes, pruneLanes } from './lanes.ts';

const pruneMs = 1000;

/** The updates of the last minute and those that are open, order by order: what the desk kept, and then what it tells. */
export function useLanes() {
  const [lanes, setLanes] = useState<Lanes>(new Map());

  // What was told at an earlier visit is no longer so.
  const { data, isPending, isError } = useQuery({
    queryKey: ['lanes'],
    queryFn: ({ signal }) => fetchLaneEvents(signal),
    gcTime: 0,
  });
  // Before anything is drawn: else the lanes would stand there empty for a moment.
  useLayoutEffect(() => {
    if (data) setLanes((before) => data.reduce(foldLanes, before));
  }, [data]);
  useGatheredMessages((events) => setLanes((before) => events.reduce(foldLanes, before)));

  const isEmpty = lanes.size === 0;
  useEffect(() => {
    if (isEmpty) return;
    const timer = setInterval(() => setLanes((before) => pruneLanes(before, Date.now())), pruneMs);
    return () => clearInterval(timer);
  }, [isEmpty]);

  return { lanes, isPending, isError };
}
