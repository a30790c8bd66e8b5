import { type Started, startProcess } from '../../child/start-child.ts';
import type { Contender } from '../contenders/contender.ts';
import type { ContenderRoleSettings } from './contender-role.ts';
import type { ServiceApi } from './service-role.ts';

const options = {
  program: new URL('./main.ts', import.meta.url),
  /** Longest time that one call may take, in milliseconds. */
  callTimeoutMs: 900_000,
};

export const startService = (settings: { readonly orders: number }): Promise<Started<ServiceApi>> =>
  startProcess('service', [JSON.stringify(settings)], options);

/** Starts one process of a queue. */
export const startContender = <Api extends Contender = Contender>(
  settings: ContenderRoleSettings,
): Promise<Started<Api>> => startProcess('contender', [JSON.stringify(settings)], options);
