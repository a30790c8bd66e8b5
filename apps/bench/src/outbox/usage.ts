import type { Contender } from './contenders/contender.ts';
import type { Place } from './servers/places.ts';
import type { Workers } from './start-workers.ts';

/** CPU time in milliseconds; undefined where nobody can tell. */
export interface Usage {
  readonly workers: number | undefined;
  /** Of the server that keeps the queue; undefined also when the workers do that themselves. */
  readonly server: number | undefined;
}

/** CPU time so far of those who work on a queue. */
export async function usageOf(workers: Workers<Contender>, place: Place): Promise<Usage> {
  return { workers: await workers.cpuMs(), server: await place.serverCpuMs() };
}

/** What each of some updates took between two moments. */
export function usagePerUpdate(then: Usage, now: Usage, updates: number): Usage {
  const share = (part: keyof Usage): number | undefined => {
    const [before, after] = [then[part], now[part]];
    return before === undefined || after === undefined ? undefined : (after - before) / updates;
  };
  return { workers: share('workers'), server: share('server') };
}
