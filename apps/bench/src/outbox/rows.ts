import { type ContenderName, contenderList } from './contenders/contender-list.ts';
import type { DepthRow } from './measure-depth.ts';
import type { DrainRow } from './measure-drain.ts';
import type { LatencyRow } from './measure-latency.ts';
import type { RateRow } from './measure-rate.ts';
import type { ScaleSettings } from './scale-settings.ts';

/** Queues that are measured as they grow: BullMQ keeps no order, and graphile-worker is measured as it does best. */
const growing: readonly ContenderName[] = ['ours-pglite', 'ours', 'graphile-batched', 'pg-boss'];

/** The rows of the table of throughput: PGlite is for one process alone. */
export function drainRows({ queues, processes }: ScaleSettings): DrainRow[] {
  return queues.flatMap((name): DrainRow[] => {
    if (contenderList[name].engine === 'pglite') return [{ name, processes: 1 }];
    return processes.map((count) => ({ name, processes: count }));
  });
}

export function depthRows({ queues, depths }: ScaleSettings): DepthRow[] {
  return queues
    .filter((name) => growing.includes(name))
    .flatMap((name) => depths.map((depth) => ({ name, depth })));
}

const latencyRowList: readonly LatencyRow[] = [
  { name: 'ours-pglite', apart: false },
  { name: 'ours', apart: false },
  { name: 'ours', apart: true },
];

export function latencyRows({ queues }: ScaleSettings): LatencyRow[] {
  return latencyRowList.filter(({ name }) => queues.includes(name));
}

/** One rate without a burst and one with it, for the most processes there are to be. */
export function rateRows({ queues, processes }: ScaleSettings): RateRow[] {
  if (!queues.includes('ours')) return [];
  const most = Math.max(...processes);
  return [1, 10].map((burst) => ({ processes: most, perSecond: 50, burst }));
}
