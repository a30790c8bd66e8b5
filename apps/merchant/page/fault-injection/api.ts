import { queryOptions } from '@tanstack/react-query';
import { hc, parseResponse } from 'hono/client';
import type { FaultInjectionType } from '../../fault-injection/routes.ts';
import type { FaultSetting } from '../../shared/api.ts';
import { fetchInTime } from '../api.ts';

export const faultInjection = hc<FaultInjectionType>('/api/fault-injection', { fetch: fetchInTime });

/** What the mock order service can be made to do. */
export const scenarioLabels: Readonly<Record<FaultSetting['scenario'], string>> = {
  healthy: 'Healthy',
  slow: 'Slow',
  rateLimited: 'Rate limited (429)',
  unavailable: 'Unavailable (503)',
  lostResponse: 'Lost response',
  down: 'Down',
};

export const settingQuery = queryOptions({
  queryKey: ['fault-injection'],
  queryFn: () => parseResponse(faultInjection.index.$get()),
  // Without the mock service there is no such route.
  retry: false,
});

export const outcomesQuery = queryOptions({
  queryKey: ['outcomes'],
  queryFn: () => parseResponse(faultInjection.outcomes.$get()),
  // The slots move on while nothing happens.
  refetchInterval: 10_000,
});
