import type { ContenderName } from './contenders/contender-list.ts';
import type { Field } from './field.ts';
import type { Place } from './servers/places.ts';
import { startWorkers } from './start-workers.ts';
import { type Usage, usageOf, usagePerUpdate } from './usage.ts';
import type { Workload } from './workload.ts';

/** A queue, and how many orders wait in it. */
export interface DepthRow {
  readonly name: ContenderName;
  readonly depth: number;
}

/** What an update took while so many orders waited. */
export interface Depth {
  readonly perUpdateMs: number;
  readonly cpu: Usage;
  /** Updates that it was measured on: fewer than wanted when they took too long, and then all the time when none came. */
  readonly measured: number;
}

export interface DepthWindow {
  /** Updates to measure, after a tenth as many that are not. */
  readonly window: number;
  /** The longest that it may take, in milliseconds. */
  readonly withinMs: number;
}

/** Updates more than are measured: those on their way while the window begins. */
const slack = 200;

/** So many updates for each order that none is without any before the window has passed. */
export function workloadOf(depth: number, { window }: DepthWindow): Workload {
  return { updates: depth * Math.ceil((warmUpOf(window) + slack + window) / depth), orders: depth };
}

const warmUpOf = (window: number): number => Math.ceil(window / 10);

/** Drains a window of a queue that was filled before, in one process, on a copy of it. */
export async function measureDepth(
  field: Field,
  { name, filled }: { readonly name: ContenderName; readonly filled: Place },
  { window, withinMs }: DepthWindow,
): Promise<Depth> {
  const { service } = field;
  const place = await filled.copy();
  try {
    await place.settle();
    await service.call('reset');
    await using workers = await startWorkers(field, { name, processes: 1 }, place);
    await workers.each((worker) => worker.call('work'));
    await service.call('waitFor', warmUpOf(window), withinMs);
    const before = await usageOf(workers, place);
    const from = await service.call('latest');
    await service.call('waitFor', from.count + window, withinMs);
    const after = await usageOf(workers, place);
    const to = await service.call('latest');
    const measured = to.count - from.count;
    return {
      perUpdateMs: measured > 0 ? (to.at - from.at) / measured : withinMs,
      cpu: usagePerUpdate(before, after, Math.max(1, measured)),
      measured,
    };
  } finally {
    await place.remove();
  }
}
