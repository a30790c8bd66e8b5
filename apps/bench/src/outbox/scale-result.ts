import type { Spread } from '../report/statistics.ts';
import type { LedgerFaults } from './check-ledger.ts';
import type { ContenderName } from './contenders/contender-list.ts';
import type { LatencyRow } from './measure-latency.ts';
import type { RateRow } from './measure-rate.ts';
import type { Sender } from './measure-service-alone.ts';
import type { ScaleSettings } from './scale-settings.ts';
import type { ScaleTarget } from './scale-targets.ts';

/** Everything that a run found, as it is written to a file. */
export interface ScaleResult {
  /** The day of the run, in UTC. */
  readonly date: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly postgres: string;
  /** `null` where there was none. */
  readonly redis: string | null;
  readonly settings: ScaleSettings;
  readonly alone: readonly AloneResult[];
  readonly drain: readonly DrainResult[];
  readonly depth: readonly DepthResult[];
  readonly latency: readonly LatencyResult[];
  readonly rate: readonly RateResult[];
  readonly targets: readonly ScaleTarget[];
}

/** What a row is about. */
interface Named {
  readonly name: ContenderName;
  readonly label: string;
  readonly version: string;
}

/** CPU time for an update, in milliseconds. */
export interface CpuResult {
  /** `null` where nobody can tell. */
  readonly workers: Spread | null;
  /** Of the server that keeps the queue; `null` also when the workers do that themselves. */
  readonly server: Spread | null;
}

export interface AloneResult {
  readonly sender: Sender;
  readonly perSecond: Spread;
  readonly cpuMs: Spread;
}

/** Faults are those of all rounds together. */
export interface DrainResult extends Named, LedgerFaults {
  readonly processes: number;
  readonly perSecond: Spread;
  readonly cpu: CpuResult;
}

export interface DepthResult extends Named {
  readonly depth: number;
  readonly perUpdateMs: Spread;
  readonly cpu: CpuResult;
  /** The fewest updates that a round came to. */
  readonly measured: number;
}

/** In milliseconds. */
export interface LatencyResult extends Named, Pick<LatencyRow, 'apart'> {
  readonly p50: Spread;
  readonly p95: Spread;
  readonly p99: Spread;
}

export interface RateResult extends RateRow {
  /** The most arrivals in any second of any round. */
  readonly most: number;
  readonly perSecondFound: Spread;
}
