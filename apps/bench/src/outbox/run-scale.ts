import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Progress, throughEach } from '../measure/progress.ts';
import { contenderList } from './contenders/contender-list.ts';
import type { Field } from './field.ts';
import { fillQueue } from './fill-queue.ts';
import { inRounds, type Rounds } from './in-rounds.ts';
import { type Depth, type DepthRow, measureDepth, workloadOf } from './measure-depth.ts';
import { type Drain, type DrainRow, measureDrain } from './measure-drain.ts';
import { type Latency, type LatencyRow, measureLatency } from './measure-latency.ts';
import { measureRate, type RateFound, type RateRow } from './measure-rate.ts';
import { measureServiceAlone, type Sender, type ServiceAlone } from './measure-service-alone.ts';
import { startService } from './process/start-process.ts';
import { depthRows, drainRows, latencyRows, rateRows } from './rows.ts';
import type { Part, ScaleSettings } from './scale-settings.ts';
import type { Place } from './servers/places.ts';
import { startDatabase } from './servers/start-database.ts';
import { startRedis } from './servers/start-redis.ts';

/** Everything that a run measured, round by round. */
export interface ScaleMeasurements {
  readonly settings: ScaleSettings;
  readonly versions: { readonly postgres: string; readonly redis: string | undefined };
  readonly alone: readonly Rounds<Sender, ServiceAlone>[];
  readonly drain: readonly Rounds<DrainRow, Drain>[];
  readonly depth: readonly Rounds<DepthRow, Depth>[];
  readonly latency: readonly Rounds<LatencyRow, Latency>[];
  readonly rate: readonly Rounds<RateRow, RateFound>[];
}

/** Measures what the settings name, one thing after another. What must be ended is on `ending`, also while it runs. */
export async function runScale(
  settings: ScaleSettings,
  progress: Progress,
  ending: AsyncDisposableStack,
): Promise<ScaleMeasurements> {
  const { updates, orders, depths, inFlight, fsync, rounds, samples, seconds } = settings;
  const folder = await mkdtemp(join(tmpdir(), 'orders-scale-'));
  ending.defer(() => rm(folder, { recursive: true, force: true }));
  const database = ending.use(await startDatabase({ fsync }));
  const redis = settings.queues.includes('bullmq') ? ending.use(await startRedis()) : undefined;
  const service = ending.use(await startService({ orders: Math.max(orders, ...depths) }));
  const baseUrl = await service.call('url');
  const field: Field = { service, baseUrl, servers: { database, redis, folder }, ending, inFlight };

  const isThere = ({ name }: DrainRow): boolean =>
    contenderList[name].engine !== 'redis' || redis !== undefined;
  const wanted = <Row>(part: Part, rows: readonly Row[]): readonly Row[] =>
    settings.only.includes(part) ? rows : [];
  const options = (title: string) => ({ title, rounds, progress });
  return {
    settings,
    versions: { postgres: database.version, redis: redis?.version },
    alone: await inRounds(
      wanted<Sender>('drain', ['dispatch', 'ours']),
      (sender) => measureServiceAlone(sender, { updates, inFlight }),
      options('the order service alone'),
    ),
    drain: await inRounds(
      wanted('drain', drainRows(settings).filter(isThere)),
      (row) => measureDrain(field, row, { updates, orders }),
      options(`draining ${updates} updates`),
    ),
    depth: await measureDepths(field, wanted('depth', depthRows(settings)), { settings, progress }),
    latency: await inRounds(
      wanted('latency', latencyRows(settings)),
      (row) => measureLatency(field, row, { samples, orders }),
      options(`the way of ${samples} updates`),
    ),
    rate: await inRounds(
      wanted('rate', rateRows(settings)),
      (row) => measureRate(field, row, { seconds, orders }),
      options(`${seconds} s of one rate`),
    ),
  };
}

/** Fills each queue once, and measures on copies of it. */
async function measureDepths(
  field: Field,
  rows: readonly DepthRow[],
  { settings, progress }: { readonly settings: ScaleSettings; readonly progress: Progress },
): Promise<Rounds<DepthRow, Depth>[]> {
  const { window, patience, rounds } = settings;
  const extent = { window, withinMs: patience * 1_000 };
  await using cleaning = new AsyncDisposableStack();
  const places = new Map<DepthRow, Place>();
  if (rows.length > 0) {
    await throughEach(progress, 'filling queues', rows, async (row) => {
      const place = await fillQueue(field, row.name, workloadOf(row.depth, extent));
      cleaning.defer(() => place.remove());
      places.set(row, place);
    });
  }
  return await inRounds(
    rows,
    (row) => {
      const filled = places.get(row);
      if (!filled) throw new Error(`${row.name} was not filled.`);
      return measureDepth(field, { name: row.name, filled }, extent);
    },
    { title: `${window} updates of long queues`, rounds, progress },
  );
}
