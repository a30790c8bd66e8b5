import { useQuery, useQueryClient } from '@tanstack/react-query';
import { OutboxView } from '../../contract/outbox-view.ts';
import { useGatheredMessages } from '../live/use-gathered-messages.ts';
import { requestJson } from './request.ts';

const queryKey = ['outbox'];
/** How long events are gathered before the outbox is looked at again, in milliseconds. */
const gatherMs = 200;
/** How often it is fetched while it is paused or the service is unavailable, in milliseconds: no event marks the end. */
const pausedMs = 1_000;

/** How the outbox stands, looked at again soon after anything happens in it. */
export function useOutbox() {
  const client = useQueryClient();
  useGatheredMessages(() => void client.invalidateQueries({ queryKey }), gatherMs);

  return useQuery({
    queryKey,
    queryFn: ({ signal }) => requestJson(OutboxView, '/api/outbox', { signal }),
    // What was seen before another view was looked at may be long over.
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data && (data.pausedUntil !== undefined || data.service !== 'ok') ? pausedMs : false,
  });
}
