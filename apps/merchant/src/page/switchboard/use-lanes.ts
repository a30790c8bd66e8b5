import { useEffect, useState } from 'react';
import { useGatheredMessages } from '../live/use-gathered-messages.ts';
import { foldLanes, type Lanes, pruneLanes } from './lanes.ts';

const pruneMs = 1000;

/** The updates of the last minute, order by order, as the desk tells of them from now on. */
export function useLanes(): Lanes {
  const [lanes, setLanes] = useState<Lanes>(new Map());

  useGatheredMessages((events) => setLanes((before) => events.reduce(foldLanes, before)));

  const isEmpty = lanes.size === 0;
  useEffect(() => {
    if (isEmpty) return;
    const timer = setInterval(() => setLanes((before) => pruneLanes(before, Date.now())), pruneMs);
    return () => clearInterval(timer);
  }, [isEmpty]);

  return lanes;
}
