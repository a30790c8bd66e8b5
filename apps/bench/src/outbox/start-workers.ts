import type { Started } from '../child/start-child.ts';
import type { Contender, ContenderSettings } from './contenders/contender.ts';
import type { ContenderName } from './contenders/contender-list.ts';
import { cpuOf } from './cpu-of.ts';
import type { Field } from './field.ts';
import { startContender } from './process/start-process.ts';
import type { Place } from './servers/places.ts';

/** The processes that work on one queue. */
export interface Workers<Api extends Contender> extends AsyncDisposable {
  /** Does the same with each at once. */
  each<Result>(task: (worker: Started<Api>) => Promise<Result>): Promise<readonly Result[]>;
  /** CPU time of all so far, in milliseconds; undefined where nobody can tell. */
  cpuMs(): Promise<number | undefined>;
}

export interface WorkersWanted extends Pick<ContenderSettings, 'rate'> {
  readonly name: ContenderName;
  readonly processes: number;
}

/** Starts the processes of a queue; each is ready, and works when told to. They end at once when disposed of. */
export async function startWorkers<Api extends Contender = Contender>(
  { baseUrl, inFlight, ending }: Field,
  wanted: WorkersWanted,
  { address }: Place,
): Promise<Workers<Api>> {
  const settings = { ...wanted, place: address, baseUrl, inFlight };
  const started = await Promise.allSettled(
    Array.from({ length: wanted.processes }, () => startContender<Api>(settings)),
  );
  const workers = started.flatMap((each) => (each.status === 'fulfilled' ? ending.use(each.value) : []));
  const close = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.close()));
  };
  for (const each of started) {
    if (each.status === 'fulfilled') continue;
    await close();
    throw each.reason;
  }
  return {
    each: (task) => Promise.all(workers.map(task)),
    async cpuMs() {
      const each = await Promise.all(workers.map(({ pid }) => cpuOf(pid)));
      return each.reduce((sum, ms) => (sum === undefined || ms === undefined ? undefined : sum + ms), 0);
    },
    [Symbol.asyncDispose]: close,
  };
}
