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
  readonly unit: 'times' | 'ms' | 'updates';
  readonly sense: 'at least' | 'at most';
  /** The figure that just holds. */
  readonly bound: number;
  readonly figure: number;
  readonly holds: boolean;
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

/** Ways to run graphile-worker that ours is held against, as many processes each: the faster one counts. */
const rivals: readonly { readonly names: readonly ContenderName[]; readonly label: string }[] = [
  { names: ['graphile-books'], label: 'graphile-worker that keeps outcomes, too' },
  { names: ['graphile', 'graphile-batched'], label: 'graphile-worker at its best, which keeps none' },
];

function judgeThroughput(drain: readonly Rounds<DrainRow, Drain>[]): ScaleTarget[] {
  const perSecond = (names: readonly ContenderName[], processes: number): number[][] =>
    drain
      .filter(({ row }) => names.includes(row.name) && row.processes === processes)
      .map(({ rounds }) => rounds.map((round) => round.perSecond));
  const ours = drain.flatMap(({ row }) => (row.name === 'ours' ? row.processes : []));
  return rivals.flatMap(({ names, label }) =>
    ours.flatMap((processes) => {
      const [own] = perSecond(['ours'], processes);
      const [best] = perSecond(names, processes).sort((a, b) => spreadOf(b).median - spreadOf(a).median);
      if (!own || !best) return [];
      const workers = processes === 1 ? '1 process' : `${processes} processes`;
      const target = `updates/s with ${workers}, to ${label}`;
      return [judge({ target, unit: 'times', sense: 'at least', bound: 1 }, ratioOf(own, best).median)];
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
      return [judge({ target, unit: 'times', sense: 'at most', bound: 2 }, ratioOf(to, from).median)];
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
    const bound = { p50: 50, p99: 250 }[part];
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
  const holds = wanted.sense === 'at least' ? figure >= wanted.bound : figure <= wanted.bound;
  return { ...wanted, figure, holds };
}
