import { ratioOf, spreadOf } from '../report/statistics.ts';
import type { ContenderName } from './contenders/contender-list.ts';
import type { Rounds } from './in-rounds.ts';
import type { Depth, DepthRow } from './measure-depth.ts';
import type { Drain, DrainRow } from './measure-drain.ts';
import type { Latency, LatencyRow } from './measure-latency.ts';
import type { RateFound, RateRow } from './measure-rate.ts';
import type { ScaleMeasurements } from './run-scale.ts';

/** What we promise, and what a run found. */
export interface ScaleTarget {
  readonly target: string;
  readonly unit: 'times' | 'ms' | 'updates' | 'updates/s';
  readonly sense: 'at least' | 'at most';
  /** The figure that just holds; null where nothing is promised. */
  readonly bound: number | null;
  readonly figure: number;
  /** Null where nothing is promised. */
  readonly holds: boolean | null;
}

/** Judges what a run measured by what the outbox promises; what was not measured is not judged. */
export function judgeScale({
  drain,
  depth,
  latency,
  rate,
}: Pick<ScaleMeasurements, 'drain' | 'depth' | 'latency' | 'rate'>): ScaleTarget[] {
  return [
    ...judgeFaults(drain),
    ...judgeSpeed(drain),
    ...judgeThroughput(drain),
    ...judgeGrowth(depth),
    ...latency.flatMap(judgeLatency),
    ...rate.map(judgeRate),
  ];
}

const engineOf: Partial<Record<ContenderName, string>> = { 'ours-pglite': 'PGlite', ours: 'PostgreSQL' };

/** What is lost, repeated or out of order by any row of ours. */
function judgeFaults(drain: readonly Rounds<DrainRow, Drain>[]): ScaleTarget[] {
  const ours = drain.filter(({ row }) => engineOf[row.name] !== undefined);
  if (ours.length === 0) return [];
  const found = ours
    .flatMap(({ rounds }) => rounds)
    .reduce((sum, { lost, repeated, outOfOrder }) => sum + lost + repeated + outOfOrder, 0);
  const target = 'ours: lost, repeated or out of order';
  return [judge({ target, unit: 'updates', sense: 'at most', bound: 0 }, found)];
}

/** What one process must reach, in updates per second. */
const speeds: Partial<Record<ContenderName, number>> = { 'ours-pglite': 1_200, ours: 2_500 };

function judgeSpeed(drain: readonly Rounds<DrainRow, Drain>[]): ScaleTarget[] {
  return drain.flatMap(({ row: { name, processes }, rounds }) => {
    const bound = speeds[name];
    if (bound === undefined || processes !== 1) return [];
    const figure = spreadOf(rounds.map(({ perSecond }) => perSecond)).median;
    const target = `${engineOf[name]}: updates/s with 1 process`;
    return [judge({ target, unit: 'updates/s', sense: 'at least', bound }, figure)];
  });
}

/**
 * Ways to run graphile-worker, with as many processes each. Nothing is promised against the fastest, which stores less.
 */
const rivals: readonly {
  readonly name: ContenderName;
  readonly label: string;
  readonly bound: number | null;
}[] = [
  { name: 'graphile-books', label: 'graphile-worker in batches doing the same work', bound: 1.5 },
  { name: 'graphile', label: 'graphile-worker with its defaults, which keeps no outcomes', bound: 1 },
  { name: 'graphile-batched', label: 'graphile-worker in batches, which keeps no outcomes', bound: null },
];

function judgeThroughput(drain: readonly Rounds<DrainRow, Drain>[]): ScaleTarget[] {
  const perSecond = (name: ContenderName, processes: number): number[] | undefined =>
    drain
      .find(({ row }) => row.name === name && row.processes === processes)
      ?.rounds.map((round) => round.perSecond);
  const ours = drain.flatMap(({ row }) => (row.name === 'ours' ? row.processes : []));
  return rivals.flatMap(({ name, label, bound }) =>
    ours.flatMap((processes) => {
      const [own, rival] = [perSecond('ours', processes), perSecond(name, processes)];
      if (!own || !rival) return [];
      const workers = processes === 1 ? '1 process' : `${processes} processes`;
      const target = `updates/s with ${workers}, to ${label}`;
      return [judge({ target, unit: 'times', sense: 'at least', bound }, ratioOf(own, rival).median)];
    }),
  );
}

/** The longest queue beside the shortest, on each engine. */
function judgeGrowth(depth: readonly Rounds<DepthRow, Depth>[]): ScaleTarget[] {
  return (['ours-pglite', 'ours'] as const).flatMap((name) => {
    const own = depth.filter(({ row }) => row.name === name).sort((a, b) => a.row.depth - b.row.depth);
    const [short, long] = [own[0], own.at(-1)];
    if (!short || !long || short === long) return [];
    const compare = (what: string, read: (round: Depth) => number | undefined): ScaleTarget[] => {
      const [from, to] = [short, long].map(({ rounds }) => rounds.flatMap((round) => read(round) ?? []));
      if (!from || !to || from.length === 0 || from.length !== to.length) return [];
      const [few, many] = [short, long].map(({ row }) => row.depth.toLocaleString('en'));
      const target = `${engineOf[name]}: ${what} of an update with ${many} orders waiting, to ${few}`;
      return [judge({ target, unit: 'times', sense: 'at most', bound: 1.5 }, ratioOf(to, from).median)];
    };
    return [
      ...compare('time', ({ perUpdateMs }) => perUpdateMs),
      ...compare('CPU', ({ cpu }) =>
        cpu.workers === undefined ? undefined : cpu.workers + (cpu.server ?? 0),
      ),
    ];
  });
}

function judgeLatency({ row: { name, apart }, rounds }: Rounds<LatencyRow, Latency>): ScaleTarget[] {
  const way = `${engineOf[name]}${apart ? ', in another process' : ''}: enqueue to arrival`;
  return (['p50', 'p99'] as const).map((part) => {
    const bound = { p50: apart ? 60 : 25, p99: 250 }[part];
    const figure = spreadOf(rounds.map((round) => round[part])).median;
    return judge({ target: `${way}, ${part}`, unit: 'ms', sense: 'at most', bound }, figure);
  });
}

/** Two more than the rate says, since moments are read on arrival, and what a burst adds: all but its first. */
function judgeRate({ row, rounds }: Rounds<RateRow, RateFound>): ScaleTarget {
  const { processes, perSecond, burst } = row;
  const target = `arrivals in any second, ${processes} processes at ${perSecond}/s with a burst of ${burst}`;
  const bound = perSecond + 2 + burst - 1;
  return judge(
    { target, unit: 'updates', sense: 'at most', bound },
    Math.max(...rounds.map(({ most }) => most)),
  );
}

/** A figure that is no number does not hold. */
function judge(wanted: Omit<ScaleTarget, 'figure' | 'holds'>, figure: number): ScaleTarget {
  const { sense, bound } = wanted;
  if (bound === null) return { ...wanted, figure, holds: null };
  return { ...wanted, figure, holds: sense === 'at least' ? figure >= bound : figure <= bound };
}
