import { formatNumber, formatPlace, formatSpread, type Table, type Target } from '../report.ts';
import { ratioOf, spreadOf } from '../rounds.ts';
import type { ScaleMeasurements } from './measure.ts';
import { type Engine, engines } from './worker.ts';

/** The figures of a run as tables, and what the outbox promises of them. */
export function buildReport(measured: ScaleMeasurements) {
  const { settings, servers, drain, depth, latency, rate } = measured;
  const spread = <Figures>(
    rounds: readonly Figures[],
    read: (figures: Figures) => number,
    digits: number,
    unit = '',
  ) => formatSpread(spreadOf(rounds.map(read)), digits, unit);
  const sum = <Figures>(rounds: readonly Figures[], read: (figures: Figures) => number): string =>
    String(rounds.reduce((total, figures) => total + read(figures), 0));
  const tables: Table[] = [
    {
      title: `Draining ${formatNumber(settings.updates)} updates of ${formatNumber(settings.orders)} orders`,
      rows: [
        ['', 'processes', 'updates/s', 'CPU of the workers', 'lost', 'repeated', 'out of sequence'],
        ...[...drain].map(([{ engine, processes }, rounds]) => [
          engines[engine],
          String(processes),
          spread(rounds, ({ perSecond }) => perSecond, 0),
          spread(rounds, ({ cpuMs }) => cpuMs, 2, 'ms'),
          sum(rounds, ({ lost }) => lost),
          sum(rounds, ({ repeated }) => repeated),
          sum(rounds, ({ outOfSequence }) => outOfSequence),
        ]),
      ],
    },
    {
      title: `One process on a long queue, ${formatNumber(settings.window)} updates of it`,
      rows: [
        ['', 'orders waiting', 'time of an update', 'measured'],
        ...[...depth].map(([row, rounds]) => {
          const count = Math.min(...rounds.map(({ measured }) => measured));
          return [
            engines[row.engine],
            formatNumber(row.depth),
            spread(rounds, ({ perUpdateMs }) => perUpdateMs, 2, 'ms'),
            `${formatNumber(count)}${count < settings.window ? ' in time' : ''}`,
          ];
        }),
      ],
    },
    {
      title: `From enqueue to arrival, ${formatNumber(settings.samples)} updates one at a time`,
      rows: [
        ['', 'sent by', 'p50', 'p95', 'p99'],
        ...[...latency].map(([{ engine, isApart }, rounds]) => [
          engines[engine],
          isApart ? 'another process' : 'the same process',
          ...[0.5, 0.95, 0.99].map((share) => spread(rounds, (times) => quantileOf(times, share), 1, 'ms')),
        ]),
      ],
    },
    {
      title: `One rate for all processes, for ${settings.seconds} s`,
      rows: [
        ['', 'most in any second', 'per second'],
        ...[...rate].map(([row, rounds]) => [
          `${row.processes} processes, ${row.perSecond}/s, burst ${row.burst}`,
          String(Math.max(...rounds.map(({ most }) => most))),
          spread(rounds, ({ perSecond }) => perSecond, 1),
        ]),
      ],
    },
  ];
  const counted =
    settings.rounds === 1 ? 'One round' : `Medians of ${settings.rounds} alternating rounds (quartiles)`;
  const conditions = `${counted}; ${settings.inFlight} updates in flight over all processes.\n${formatPlace()}; ${servers}.`;
  return { conditions, tables, targets: judgeScale(measured) };
}

/** The value that so large a share of the others does not exceed. */
function quantileOf(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

/** What one process must reach, in updates per second. */
const speeds: Record<Engine, number> = { pglite: 1_200, postgres: 2_500 };

/** What the outbox promises; what was not measured is not judged. */
export function judgeScale({
  drain,
  depth,
  latency,
  rate,
}: Pick<ScaleMeasurements, 'drain' | 'depth' | 'latency' | 'rate'>): Target[] {
  const targets: Target[] = [];
  const judge = (
    target: string,
    unit: string,
    [sense, bound]: [Target['sense'], number],
    figure: number,
  ): void => void targets.push({ target, unit, sense, bound, figure });

  for (const [{ engine, processes }, rounds] of drain) {
    const workers = `${engines[engine]} with ${processes} ${processes === 1 ? 'process' : 'processes'}`;
    const faults = rounds.reduce((sum, each) => sum + each.lost + each.repeated + each.outOfSequence, 0);
    judge(`${workers}: lost, repeated or out of sequence`, 'updates', ['at most', 0], faults);
    const { median } = spreadOf(rounds.map((round) => round.perSecond));
    if (processes === 1) judge(workers, 'updates/s', ['at least', speeds[engine]], median);
  }
  for (const engine of Object.keys(engines) as Engine[]) {
    const rows = [...depth].filter(([row]) => row.engine === engine).sort(([a], [b]) => a.depth - b.depth);
    const [[few, short] = [], [many, long] = []] = [rows[0], rows.at(-1)];
    if (!few || !many || few === many) continue;
    const [from, to] = [short ?? [], long ?? []].map((rounds) =>
      rounds.map(({ perUpdateMs }) => perUpdateMs),
    );
    const target = `${engines[engine]}: time of an update with ${formatNumber(many.depth)} orders waiting, to ${formatNumber(few.depth)}`;
    judge(target, 'times', ['at most', 1.5], ratioOf(to ?? [], from ?? []).median);
  }
  for (const [{ engine, isApart }, rounds] of latency) {
    for (const [part, share, bound] of [
      ['p50', 0.5, isApart ? 60 : 25],
      ['p99', 0.99, 250],
    ] as const) {
      const figure = spreadOf(rounds.map((times) => quantileOf(times, share))).median;
      const way = `${engines[engine]}${isApart ? ', from another process' : ''}: enqueue to arrival, ${part}`;
      judge(way, 'ms', ['at most', bound], figure);
    }
  }
  for (const [{ processes, perSecond, burst }, rounds] of rate) {
    const target = `arrivals in any second, ${processes} processes at ${perSecond}/s with a burst of ${burst}`;
    // Arrivals are up to two more than the rate, since their time is read late; a burst adds all but its first.
    const bound = perSecond + 2 + burst - 1;
    judge(target, 'updates', ['at most', bound], Math.max(...rounds.map(({ most }) => most)));
  }
  return targets;
}
