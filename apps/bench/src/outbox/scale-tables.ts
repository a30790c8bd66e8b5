import type { Spread } from '../report/statistics.ts';
import type {
  AloneResult,
  CpuResult,
  DepthResult,
  DrainResult,
  LatencyResult,
  RateResult,
  ScaleResult,
} from './scale-result.ts';
import type { ScaleTarget } from './scale-targets.ts';

/** One table, its head first. */
export interface ScaleTable {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** Everything that a run found, as tables; those without a row are left out. */
export function scaleTables({
  settings,
  alone,
  drain,
  depth,
  latency,
  rate,
  targets,
}: ScaleResult): ScaleTable[] {
  const { updates, orders, window, samples, seconds } = settings;
  const shown = (value: number): string => value.toLocaleString('en');
  const tables: ScaleTable[] = [
    {
      title: 'The order service with no queue before it, one process that sends',
      rows: [['', 'updates/s', 'CPU of the sender'], ...alone.map(aloneRow)],
    },
    {
      title: `Draining ${shown(updates)} updates of ${shown(orders)} orders`,
      rows: [drainHead, ...drain.map(drainRow)],
    },
    {
      title: `One process on a long queue, ${shown(window)} updates of it`,
      rows: [depthHead, ...depth.map((row) => depthRow(row, settings.window))],
    },
    {
      title: `From enqueue to arrival, ${shown(samples)} updates one at a time, in ms`,
      rows: [['', 'sent by', 'p50', 'p95', 'p99'], ...latency.map(latencyRow)],
    },
    {
      title: `One rate for all processes, for ${shown(seconds)} s`,
      rows: [['', 'most in any second', 'per second'], ...rate.map(rateRow)],
    },
    { title: 'Targets', rows: [['', 'target', 'found', 'holds'], ...targets.map(targetRow)] },
  ];
  return tables.filter(({ rows }) => rows.length > 1);
}

function aloneRow({ sender, perSecond, cpuMs }: AloneResult): string[] {
  const who = { dispatch: 'bare undici.dispatch', ours: '@orders/client' }[sender];
  return [who, formatSpread(perSecond, 0), `${formatSpread(cpuMs, 2)} ms`];
}

const drainHead = [
  '',
  'version',
  'processes',
  'updates/s',
  'CPU of workers',
  'CPU of the server',
  'lost',
  'repeated',
  'out of order',
];

function drainRow({
  label,
  version,
  processes,
  perSecond,
  cpu,
  lost,
  repeated,
  outOfOrder,
}: DrainResult): string[] {
  const faults = [lost, repeated, outOfOrder].map(String);
  return [label, version, String(processes), formatSpread(perSecond, 0), ...cpuCells(cpu), ...faults];
}

const depthHead = [
  '',
  'orders waiting',
  'time of an update',
  'CPU of workers',
  'CPU of the server',
  'measured',
];

function depthRow({ label, depth, perUpdateMs, cpu, measured }: DepthResult, window: number): string[] {
  const came = measured < window ? `${measured} in time` : measured.toLocaleString('en');
  return [label, depth.toLocaleString('en'), `${formatSpread(perUpdateMs, 2)} ms`, ...cpuCells(cpu), came];
}

function cpuCells({ workers, server }: CpuResult): string[] {
  return [workers, server].map((spread) => (spread ? `${formatSpread(spread, 2)} ms` : '–'));
}

function latencyRow({ label, apart, p50, p95, p99 }: LatencyResult): string[] {
  const times = [p50, p95, p99].map((spread) => formatSpread(spread, 1));
  return [label, apart ? 'another process' : 'the same process', ...times];
}

function rateRow({ processes, perSecond, burst, most, perSecondFound }: RateResult): string[] {
  const what = `${processes} processes, ${perSecond}/s, burst ${burst}`;
  return [what, String(most), formatSpread(perSecondFound, 1)];
}

function targetRow({ target, unit, sense, bound, figure, holds }: ScaleTarget): string[] {
  const show = (value: number): string => `${value.toFixed(unit.startsWith('updates') ? 0 : 2)} ${unit}`;
  if (bound === null) return [target, 'none', show(figure), '–'];
  return [target, `${sense} ${show(bound)}`, show(figure), holds ? 'yes' : 'NO'];
}

/** The median, and the quartiles where there is more than one round. */
function formatSpread({ median, low, high }: Spread, digits: number): string {
  const show = (value: number): string =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return low === high ? show(median) : `${show(median)} (${show(low)}–${show(high)})`;
}
