import type { Started } from '../child/start-child.ts';
import type { ServiceApi } from './process/service-role.ts';
import type { Servers } from './servers/places.ts';

/** What stands around everything that is measured. */
export interface Field {
  readonly service: Started<ServiceApi>;
  readonly baseUrl: string;
  readonly servers: Servers;
  /** Ends what is left running when a run is broken off. */
  readonly ending: AsyncDisposableStack;
  /** Updates on their way at once, over all processes. */
  readonly inFlight: number;
}
