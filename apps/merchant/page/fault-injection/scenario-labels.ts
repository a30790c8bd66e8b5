import type { FaultSetting } from '../../shared/api.ts';

/** What the mock order service can be made to do. */
export const scenarioLabels: Readonly<Record<FaultSetting['scenario'], string>> = {
  healthy: 'Healthy',
  slow: 'Slow',
  rateLimited: 'Rate limited (429)',
  unavailable: 'Unavailable (503)',
  lostResponse: 'Lost response',
  down: 'Down',
};
