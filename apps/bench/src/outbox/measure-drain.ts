import { checkLedger, type LedgerFaults } from './check-ledger.ts';
import type { ContenderName } from './contenders/contender-list.ts';
import type { Field } from './field.ts';
import { fillQueue } from './fill-queue.ts';
import type { Place } from './servers/places.ts';
import { startWorkers } from './start-workers.ts';
import { type Usage, usageOf, usagePerUpdate } from './usage.ts';
import type { Workload } from './workload.ts';

/** A queue, and how many processes work on it. */
export interface DrainRow {
  readonly name: ContenderName;
  readonly processes: number;
}

/** What draining a queue took. */
export interface Drain extends LedgerFaults {
  /** Updates in a second, from the first arrival at the service to the last. */
  readonly perSecond: number;
  /** CPU time for an update, from the word to work until all is stored and closed. */
  readonly cpu: Usage;
}

/** Fills a queue, and drains it. */
export async function measureDrain(field: Field, row: DrainRow, workload: Workload): Promise<Drain> {
  const place = await fillQueue(field, row.name, workload);
  try {
    return await drain(field, row, place, workload);
  } finally {
    await place.remove();
  }
}

async function drain(field: Field, row: DrainRow, place: Place, workload: Workload): Promise<Drain> {
  const { service } = field;
  const { updates } = workload;
  await service.call('reset');
  await using workers = await startWorkers(field, row, place);
  const before = await usageOf(workers, place);
  await workers.each((worker) => worker.call('work'));
  await service.call('waitFor', updates, 60_000 + 10 * updates);
  await workers.each((worker) => worker.call('stop'));
  const cpu = usagePerUpdate(before, await usageOf(workers, place), updates);
  const { arrivals, applied } = await service.call('record');
  const wallMs = (arrivals.at(-1) ?? Number.NaN) - (arrivals[0] ?? Number.NaN);
  return {
    ...checkLedger(applied, workload),
    perSecond: ((arrivals.length - 1) * 1_000) / wallMs,
    cpu,
  };
}
