import type { FaultRule } from '@orders/testing';
import type { SwitchboardSetting, Trouble } from '../contract/switchboard-view.ts';

/** How long a slow service holds each answer back, in milliseconds. */
const slowMs = 1500;
/** A 429 is the one response after which the client retries. */
const busy = { type: 'status', status: 429, headers: { 'retry-after': '1' } } as const;

/** How long a service that is down stays away before it must be sent away again, in milliseconds. */
export const downMs = 2000;

type Fault = Exclude<FaultRule['fault'], readonly unknown[]>;

/** What an update meets. A service that is down is not here: nobody reaches it to meet anything. */
const faultOf: Readonly<Record<Exclude<Trouble, 'none' | 'down'>, Fault>> = {
  slow: { type: 'latency', ms: slowMs },
  busy,
  failing: { type: 'status', status: 503 },
  reset_after_applying: { type: 'reset_after_applying' },
};

/** The order service's script for a setting. Only updates meet trouble, so that the echo still tells whether the key works. */
export function switchboardFaults({ trouble, percent }: SwitchboardSetting): readonly FaultRule[] {
  if (trouble === 'none') return [];
  if (trouble === 'down') return downRules;
  // One seed: the same setting and the same updates meet the same fate.
  const chance = { probability: percent / 100, seed: 1 };
  return [{ when: 'sometimes', fault: faultOf[trouble], operation: 'update', ...chance }];
}

/**
 * A reset on accept would not do: connections that are kept go on, and on a new one bytes may have left before the reset
 * comes, so that an update that nobody read would be of unknown outcome. Refused connections leave no doubt; they are had
 * by a restart. An update that slips in between two of them gets a 429, which proves that it was not applied.
 */
const downRules: readonly FaultRule[] = [
  { when: 'always', fault: { type: 'restart', downMs }, method: 'OPTIONS' },
  {
    when: 'always',
    fault: { ...busy, headers: { ...busy.headers, connection: 'close' } },
    operation: 'update',
  },
];
