import { type ContenderName, contenderList } from './contenders/contender-list.ts';
import type { Field } from './field.ts';
import { openPlace, type Place } from './servers/places.ts';
import { startWorkers } from './start-workers.ts';
import type { Workload } from './workload.ts';

/** Makes a place and enqueues a workload there, in a process that ends with it. */
export async function fillQueue(field: Field, name: ContenderName, workload: Workload): Promise<Place> {
  const place = await openPlace(contenderList[name].engine, field.servers);
  try {
    await using workers = await startWorkers(field, { name, processes: 1 }, place);
    await workers.each((worker) => worker.call('load', workload));
    await workers.each((worker) => worker.call('stop'));
  } catch (error) {
    await place.remove();
    throw error;
  }
  await place.settle();
  return place;
}
