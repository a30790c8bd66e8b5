import { setTimeout as rest } from 'node:timers/promises';
import type { LiveContender } from './contenders/contender.ts';
import { type ContenderName, contenderList } from './contenders/contender-list.ts';
import type { Field } from './field.ts';
import { openPlace } from './servers/places.ts';
import { startWorkers } from './start-workers.ts';
import { tokenAt, updateAt } from './workload.ts';

/** A queue, and whether another process sends than the one that enqueues. */
export interface LatencyRow {
  readonly name: Extract<ContenderName, 'ours' | 'ours-pglite'>;
  readonly apart: boolean;
}

/** From the call of `enqueue` to the arrival at the service, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Updates that come first and do not count. */
const warmUp = 20;
/** The pauses between two updates, in milliseconds. */
const pauseMs = { least: 5, most: 60 };
/** How long an update may be on its way, in milliseconds. */
const withinMs = 30_000;

/** Times the way of updates, one at a time, on queues that stand still. */
export async function measureLatency(
  field: Field,
  { name, apart }: LatencyRow,
  { samples, orders }: { readonly samples: number; readonly orders: number },
): Promise<Latency> {
  const { service } = field;
  const place = await openPlace(contenderList[name].engine, field.servers);
  await using cleaning = new AsyncDisposableStack();
  cleaning.defer(() => place.remove());
  const start = async () =>
    cleaning.use(await startWorkers<LiveContender>(field, { name, processes: 1 }, place));
  const sender = await start();
  const enqueuer = apart ? await start() : sender;
  await service.call('reset');
  await sender.each((worker) => worker.call('work'));
  const times: number[] = [];
  for (let index = 0; index < warmUp + samples; index++) {
    await rest(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
    const [calledAt = Number.NaN] = await enqueuer.each((worker) =>
      worker.call('enqueue', tokenAt(index % orders), updateAt(index)),
    );
    if (!(await service.call('waitFor', index + 1, withinMs)))
      throw new Error(`${name}: an update did not come.`);
    const { at } = await service.call('latest');
    if (index >= warmUp) times.push(at - calledAt);
  }
  for (const workers of new Set([enqueuer, sender])) await workers.each((worker) => worker.call('stop'));
  return quantilesOf(times);
}

/** The latency that so many of a hundred do not exceed. */
export function quantilesOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
