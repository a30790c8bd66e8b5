import { cpus } from 'node:os';
import type { Surroundings } from '../report/build-result.ts';
import { type Spread, spreadOf } from '../report/statistics.ts';
import { type ContenderName, contenderList } from './contenders/contender-list.ts';
import type { ScaleMeasurements } from './run-scale.ts';
import type { CpuResult, ScaleResult } from './scale-result.ts';
import { judgeScale } from './scale-targets.ts';
import type { Usage } from './usage.ts';

/** Makes the result of a run out of its rounds. */
export function buildScaleResult(measured: ScaleMeasurements, surroundings: Surroundings): ScaleResult {
  const { versionOf, ...place } = surroundings;
  const { settings, versions, alone, drain, depth, latency, rate } = measured;
  const named = (name: ContenderName) => {
    const { label, from } = contenderList[name];
    return { name, label, version: versionOf(from) };
  };
  return {
    ...place,
    cores: cpus().length,
    postgres: versions.postgres,
    redis: versions.redis ?? null,
    settings,
    alone: alone.map(({ row, rounds }) => ({
      sender: row,
      perSecond: spreadBy(rounds, ({ perSecond }) => perSecond),
      cpuMs: spreadBy(rounds, ({ cpuMs }) => cpuMs),
    })),
    drain: drain.map(({ row: { name, processes }, rounds }) => ({
      ...named(name),
      processes,
      perSecond: spreadBy(rounds, ({ perSecond }) => perSecond),
      cpu: spreadOfUsage(rounds),
      lost: sumBy(rounds, ({ lost }) => lost),
      repeated: sumBy(rounds, ({ repeated }) => repeated),
      outOfOrder: sumBy(rounds, ({ outOfOrder }) => outOfOrder),
    })),
    depth: depth.map(({ row, rounds }) => ({
      ...named(row.name),
      depth: row.depth,
      perUpdateMs: spreadBy(rounds, ({ perUpdateMs }) => perUpdateMs),
      cpu: spreadOfUsage(rounds),
      measured: Math.min(...rounds.map((round) => round.measured)),
    })),
    latency: latency.map(({ row: { name, apart }, rounds }) => ({
      ...named(name),
      apart,
      p50: spreadBy(rounds, ({ p50 }) => p50),
      p95: spreadBy(rounds, ({ p95 }) => p95),
      p99: spreadBy(rounds, ({ p99 }) => p99),
    })),
    rate: rate.map(({ row, rounds }) => ({
      ...row,
      most: Math.max(...rounds.map(({ most }) => most)),
      perSecondFound: spreadBy(rounds, ({ perSecond }) => perSecond),
    })),
    targets: judgeScale(measured),
  };
}

function spreadBy<Round>(rounds: readonly Round[], read: (round: Round) => number): Spread {
  return spreadOf(rounds.map(read));
}

function sumBy<Round>(rounds: readonly Round[], read: (round: Round) => number): number {
  return rounds.reduce((sum, round) => sum + read(round), 0);
}

function spreadOfUsage(rounds: readonly { readonly cpu: Usage }[]): CpuResult {
  const spread = (part: keyof Usage): Spread | null => {
    const known = rounds.flatMap(({ cpu }) => cpu[part] ?? []);
    return known.length > 0 && known.length === rounds.length ? spreadOf(known) : null;
  };
  return { workers: spread('workers'), server: spread('server') };
}
