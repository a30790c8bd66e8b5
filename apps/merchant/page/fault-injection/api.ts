import { queryOptions } from '@tanstack/react-query';
import { hc } from 'hono/client';
import type { FaultInjectionType } from '../../fault-injection/routes.ts';
import type { AttemptView, FaultSetting } from '../../shared/api.ts';
import { fetchInTime, read } from '../api.ts';

export const faultInjection = hc<FaultInjectionType>('/api/fault-injection', { fetch: fetchInTime });

export const settingQuery = queryOptions({
  queryKey: ['fault-injection'],
  queryFn: () => read<FaultSetting>(faultInjection.index.$get()),
  // Without the mock service there is no such route.
  retry: false,
});

/** The event stream adds to these. */
export const attemptsQuery = queryOptions({
  queryKey: ['attempts'],
  queryFn: async () =>
    (await read<{ attempts: readonly AttemptView[] }>(faultInjection.attempts.$get())).attempts,
});
