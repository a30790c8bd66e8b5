import { setTimeout as delay } from 'node:timers/promises';
import type * as orderService from '../order-service.ts';
import { inRounds } from '../rounds.ts';
import { type ApiOf, type RemoteProcess, startProcess } from '../start-process.ts';
import { tokenOf, updateAt } from '../workload.ts';
import { openPlaces, type Place, type Places } from './places.ts';
import type * as workerModule from './worker.ts';
import { type Engine, engines, type WorkerSettings, type Workload } from './worker.ts';

export const parts = ['drain', 'depth', 'latency', 'rate'] as const;

export interface ScaleSettings {
  readonly only: readonly (typeof parts)[number][];
  readonly rounds: number;
  /** Updates that are drained, and the orders that they are for. */
  readonly updates: number;
  readonly orders: number;
  /** Updates in flight, over all processes. */
  readonly inFlight: number;
  /** Numbers of processes that drain it; the most share the rate. */
  readonly processes: readonly number[];
  /** Orders that wait while the cost of an update is measured, ascending. */
  readonly depths: readonly number[];
  /** Updates that are measured at each depth, and the most time for it, in milliseconds. */
  readonly window: number;
  readonly windowMs: number;
  /** Updates whose latency is measured, one at a time. */
  readonly samples: number;
  /** How long the shared rate is watched, in seconds. */
  readonly seconds: number;
  /** Whether PostgreSQL waits until commits are on disk. */
  readonly fsync: boolean;
}

export type ScaleMeasurements = Awaited<ReturnType<typeof measureScale>>;

interface Field {
  readonly settings: ScaleSettings;
  readonly places: Places;
  readonly service: RemoteProcess<ApiOf<typeof orderService>>;
}

const all = Object.keys(engines) as readonly Engine[];

/** Measures the parts that the settings name. */
export async function measureScale(settings: ScaleSettings, progress: (part: string) => void) {
  const { rounds, orders, depths } = settings;
  await using places = await openPlaces(settings);
  await using service = await startProcess<typeof orderService>('order-service.ts', {
    orders: Math.max(orders, ...depths),
  });
  const field: Field = { settings, places, service };
  const rowsOf = <Row>(part: (typeof parts)[number], rows: readonly Row[]): readonly Row[] => {
    if (!settings.only.includes(part)) return [];
    progress(part);
    return rows;
  };
  const drainRows = all.flatMap((engine) =>
    // PGlite is for one process.
    (engine === 'pglite' ? [1] : settings.processes).map((processes) => ({ engine, processes })),
  );
  const latencyRows = [
    { engine: 'pglite', isApart: false },
    { engine: 'postgres', isApart: false },
    { engine: 'postgres', isApart: true },
  ] as const;
  const rateRows = [1, 10].map((burst) => ({
    processes: Math.max(...settings.processes),
    perSecond: 50,
    burst,
  }));
  return {
    settings,
    servers: places.description,
    drain: await inRounds(rowsOf('drain', drainRows), rounds, (row) => measureDrain(field, row)),
    depth: await measureDepths(field, rowsOf('depth', all)),
    latency: await inRounds(rowsOf('latency', latencyRows), rounds, (row) => measureLatency(field, row)),
    rate: await inRounds(rowsOf('rate', rateRows), rounds, (row) => measureRate(field, row)),
  };
}

/** Fills an outbox, then drains it. The time runs from the first arrival at the service to the last. */
async function measureDrain(
  field: Field,
  { engine, processes }: { readonly engine: Engine; readonly processes: number },
) {
  const { service, settings } = field;
  const { updates } = settings;
  await using place = await fill(field, engine, settings);
  await service.call('reset');
  await using workers = await startWorkers(field, { engine, processes, address: place.address });
  await workers.each((worker) => worker.call('work'));
  await service.call('waitFor', updates, 60_000 + 10 * updates);
  const cpu = await workers.each((worker) => worker.call('stop'));
  const { arrivals, applied } = await service.call('record');
  return {
    ...findFaults(applied, settings),
    perSecond: perSecondOf(arrivals),
    cpuMs: cpu.reduce((sum, ms) => sum + ms, 0) / updates,
  };
}

/** What went wrong, by the ledger of the service. */
export interface Faults {
  readonly lost: number;
  readonly repeated: number;
  /** Updates that were applied after a later one of their order. */
  readonly outOfSequence: number;
}

/** Compares the numbers of the updates that were applied, in sequence, with a workload. */
export function findFaults(applied: readonly number[], { updates, orders }: Workload): Faults {
  const seen = new Set<number>();
  const latest = new Map<number, number>();
  let [repeated, outOfSequence] = [0, 0];
  for (const index of applied) {
    const before = latest.get(index % orders) ?? -1;
    if (seen.has(index)) repeated += 1;
    else if (index < before) outOfSequence += 1;
    seen.add(index);
    latest.set(index % orders, Math.max(before, index));
  }
  return { lost: updates - seen.size, repeated, outOfSequence };
}

/** Updates beyond the window: those in flight when it begins. */
const slack = 200;

/** Fills each once; each measurement drains a window of a copy, in one process. */
async function measureDepths(field: Field, engines: readonly Engine[]) {
  const { settings, service } = field;
  const { depths, window, windowMs, rounds } = settings;
  const warmUp = Math.ceil(window / 10);
  await using stack = new AsyncDisposableStack();
  const filled = new Map<{ readonly engine: Engine; readonly depth: number }, Place>();
  for (const engine of engines) {
    for (const depth of depths) {
      // So many updates for each order that none runs out before the window ends.
      const updates = depth * Math.ceil((warmUp + slack + window) / depth);
      filled.set({ engine, depth }, stack.use(await fill(field, engine, { updates, orders: depth })));
    }
  }
  return await inRounds([...filled.keys()], rounds, async (row) => {
    await using place = await filled.get(row)?.copy();
    await place?.settle();
    await service.call('reset');
    const address = place?.address ?? '';
    await using workers = await startWorkers(field, { engine: row.engine, processes: 1, address });
    await workers.each((worker) => worker.call('work'));
    await service.call('waitFor', warmUp, windowMs);
    const from = await service.call('latest');
    await service.call('waitFor', from.count + window, windowMs);
    const to = await service.call('latest');
    const measured = to.count - from.count;
    if (measured === 0)
      throw new Error(`${row.engine}, ${row.depth} orders: nothing was sent within a window.`);
    return { perUpdateMs: (to.at - from.at) / measured, measured };
  });
}

/** Measures the time from the call of `enqueue` to the arrival at the service, one update at a time. */
async function measureLatency(
  field: Field,
  { engine, isApart }: { readonly engine: Engine; readonly isApart: boolean },
): Promise<number[]> {
  const { service, settings, places } = field;
  const warmUp = 20;
  await using place = await places.open(engine);
  const wanted = { engine, processes: 1, address: place.address };
  await using sender = await startWorkers(field, wanted);
  await using other = isApart ? await startWorkers(field, wanted) : undefined;
  await service.call('reset');
  await sender.each((worker) => worker.call('work'));
  const times: number[] = [];
  for (let index = 0; index < warmUp + settings.samples; index += 1) {
    await delay(5 + Math.random() * 55);
    const token = tokenOf(index % settings.orders);
    const [calledAt] = await (other ?? sender).each((worker) =>
      worker.call('enqueue', token, updateAt(index)),
    );
    if (!(await service.call('waitFor', index + 1, 30_000)))
      throw new Error(`${engine}: an update did not arrive.`);
    const { at } = await service.call('latest');
    if (index >= warmUp) times.push(at - (calledAt ?? Number.NaN));
  }
  return times;
}

/** Lets several processes send at one rate, with more queued than they may send. */
async function measureRate(
  field: Field,
  { processes, ...rate }: { readonly processes: number; readonly perSecond: number; readonly burst: number },
) {
  const { service, settings } = field;
  const { seconds, orders } = settings;
  const updates = rate.perSecond * (seconds + 5) + rate.burst;
  await using place = await fill(field, 'postgres', { updates, orders });
  await service.call('reset');
  await using workers = await startWorkers(field, {
    engine: 'postgres',
    processes,
    address: place.address,
    rate,
  });
  await workers.each((worker) => worker.call('work'));
  await service.call('waitFor', 1, 60_000);
  await delay(seconds * 1_000);
  const { arrivals } = await service.call('record');
  return { most: mostWithin(arrivals, 1_000), perSecond: perSecondOf(arrivals) };
}

/** The most of some ascending moments that lie within any span of so many milliseconds. */
export function mostWithin(moments: readonly number[], spanMs: number): number {
  let [most, from] = [0, 0];
  for (const [to, moment] of moments.entries()) {
    while (moment - (moments[from] ?? moment) >= spanMs) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

const perSecondOf = (arrivals: readonly number[]): number =>
  ((arrivals.length - 1) * 1_000) / ((arrivals.at(-1) ?? Number.NaN) - (arrivals[0] ?? Number.NaN));

/** Makes a place and enqueues a workload there, in a process that exits with it. */
async function fill(field: Field, engine: Engine, workload: Workload): Promise<Place> {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await field.places.open(engine));
  await using workers = await startWorkers(field, { engine, processes: 1, address: place.address });
  await workers.each((worker) => worker.call('load', workload));
  await workers.each((worker) => worker.call('stop'));
  await place.settle();
  stack.move();
  return place;
}

/** Starts the processes; each is ready and sends once it gets `work`. */
async function startWorkers(
  { service, settings }: Field,
  wanted: Omit<WorkerSettings, 'inFlight' | 'baseUrl'>,
) {
  await using stack = new AsyncDisposableStack();
  const options = { ...wanted, baseUrl: await service.call('url'), inFlight: settings.inFlight };
  const workers: RemoteProcess<ApiOf<typeof workerModule>>[] = [];
  for (let count = 0; count < wanted.processes; count += 1) {
    workers.push(stack.use(await startProcess<typeof workerModule>('outbox/worker.ts', options)));
  }
  const started = stack.move();
  return {
    each: <Result>(task: (worker: (typeof workers)[number]) => Promise<Result>) =>
      Promise.all(workers.map(task)),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
