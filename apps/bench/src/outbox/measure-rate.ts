import { setTimeout as rest } from 'node:timers/promises';
import type { Field } from './field.ts';
import { fillQueue } from './fill-queue.ts';
import { startWorkers } from './start-workers.ts';

/** A rate that all processes share. */
export interface RateRow {
  readonly processes: number;
  readonly perSecond: number;
  readonly burst: number;
}

/** What the service saw of it. */
export interface RateFound {
  /** The most arrivals in any second. */
  readonly most: number;
  /** Arrivals in a second, over the whole time. */
  readonly perSecond: number;
}

/** Lets several processes send at one rate for so many seconds, with more queued than they may send. */
export async function measureRate(
  field: Field,
  { processes, ...rate }: RateRow,
  { seconds, orders }: { readonly seconds: number; readonly orders: number },
): Promise<RateFound> {
  const { service } = field;
  const updates = rate.perSecond * (seconds + 5) + rate.burst;
  const place = await fillQueue(field, 'ours', { updates, orders });
  try {
    await service.call('reset');
    await using workers = await startWorkers(field, { name: 'ours', processes, rate }, place);
    await workers.each((worker) => worker.call('work'));
    await service.call('waitFor', 1, 60_000);
    await rest(seconds * 1_000);
    const { arrivals } = await service.call('record');
    await workers.each((worker) => worker.call('stop'));
    const wallMs = (arrivals.at(-1) ?? Number.NaN) - (arrivals[0] ?? Number.NaN);
    return { most: mostWithin(arrivals, 1_000), perSecond: ((arrivals.length - 1) * 1_000) / wallMs };
  } finally {
    await place.remove();
  }
}

/** The most moments, of some in ascending order, that lie within any span of so many milliseconds. */
export function mostWithin(moments: ArrayLike<number>, spanMs: number): number {
  let most = 0;
  let from = 0;
  for (let to = 0; to < moments.length; to++) {
    while ((moments[to] ?? 0) - (moments[from] ?? 0) >= spanMs) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}
