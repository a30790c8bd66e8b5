import { type Bar, drawChart } from '../chart.ts';
import { formatNumber, formatPlace, formatSpread, type Table, type Target, versionOf } from '../report.ts';
import { ratioOf, type Spread, spreadOf } from '../rounds.ts';
import type { BenchMeasurements, CartRounds } from './measure.ts';
import { type Usage, validators } from './measured-process.ts';
import { type PeerName, peers } from './peers.ts';

const mebibyte = 1_048_576;
const cpuMicros = (rounds: readonly Usage[] = []): number[] =>
  rounds.map(({ cpuMs, requests }) => (cpuMs * 1_000) / requests);

/** The figures of a run as tables, and what this repository promises of them. */
export function buildReport(measured: BenchMeasurements) {
  const { settings, carts, checks, imports } = measured;
  const importRatio = ratioOf(imports.get('@orders/client') ?? [], imports.get('undici') ?? []);

  const tables: Table[] = [
    ...carts.map(tableOfCart),
    {
      title: 'Validating an update, nothing sent',
      rows: [
        ['', 'lines', 'CPU per update', 'to zod'],
        ...[...checks].flatMap(([lines, rounds]) =>
          [...rounds].map(([name, micros]) => [
            validators[name].label,
            formatNumber(lines),
            `${formatShort(spreadOf(micros))} µs`,
            formatSpread(ratioOf(micros, rounds.get('zod') ?? []), 2),
          ]),
        ),
      ],
    },
    {
      title: 'Import in a fresh process',
      rows: [
        ['', 'CPU', 'to undici'],
        ...[...imports].map(([name, ms]) => [
          name,
          `${formatShort(spreadOf(ms))} ms`,
          formatSpread(ratioOf(ms, imports.get('undici') ?? []), 2),
        ]),
      ],
    },
  ];
  const small = 'CPU of a two-line update, to';
  const targets = [
    atMost(`${small} the same by hand`, 0.85, cpuRatio(carts, 2, 'by-hand')),
    atMost(`${small} undici.request`, 1.15, cpuRatio(carts, 2, 'request')),
    atMost(`${small} fetch`, 0.3, cpuRatio(carts, 2, 'fetch')),
    atMost(`${small} axios`, 0.25, cpuRatio(carts, 2, 'axios')),
    atMost('CPU of a 1,000-line update, to undici.dispatch', 2, cpuRatio(carts, 1_000, 'dispatch')),
    atMost('CPU of the import, to undici', 1.5, importRatio.median),
  ].filter(({ figure }) => figure !== undefined) as Target[];
  const { rounds, concurrency } = settings;
  const conditions = `Medians of ${rounds} alternating rounds, with the quartiles in brackets; ${concurrency} requests in flight.\n${formatPlace()}.`;
  return { conditions, tables, targets };
}

/** The chart of the smallest cart. */
export function buildChart({ settings, carts }: BenchMeasurements): string {
  const bars = [...(carts[0]?.rounds ?? [])].map(([name, rounds]): Bar & { readonly median: number } => {
    const ratio = ratioOf(cpuMicros(rounds), cpuMicros(carts[0]?.rounds.get('request')));
    const { median, low, high } = ratio;
    const note = low === high ? median.toFixed() : `${formatSpread(ratio, 2).replace(' ', '  ')}`;
    return { label: peers[name].label, parts: [{ value: median }], note, isOurs: name === 'ours', median };
  });
  const lines = carts[0]?.lines ?? 0;
  return drawChart(
    bars.toSorted((a, b) => a.median - b.median),
    {
      title: 'Client CPU per update, undici.request = 1',
      subtitle: `PATCH with a cart of ${lines} lines, JSON response parsed; less is better`,
      notes: [
        `Median of ${settings.rounds} alternating rounds (quartiles), ${settings.concurrency} in flight, a process each.`,
        formatPlace(),
      ],
    },
  );
}

function tableOfCart({ lines, bodyBytes, rounds }: CartRounds): Table {
  const rows = [...rounds].map(([name, own]) => {
    const { label, from = undefined }: { readonly label: string; readonly from?: string } = peers[name];
    return [
      label,
      from ? versionOf(from) : 'of Node',
      `${formatShort(spreadOf(cpuMicros(own)))} µs`,
      formatSpread(ratioOf(cpuMicros(own), cpuMicros(rounds.get('request'))), 2),
      formatNumber(spreadOf(own.map(({ requests, wallMs }) => (requests * 1_000) / wallMs)).median),
      `${formatNumber(Math.max(...own.map(({ peakBytes }) => peakBytes)) / mebibyte)} MiB`,
    ];
  });
  return {
    title: `Update with a cart of ${formatNumber(lines)} lines (${formatNumber(bodyBytes)} bytes)`,
    rows: [['', 'version', 'CPU per request', 'to undici.request', 'requests/s', 'peak memory'], ...rows],
  };
}

/** CPU of ours to another's; undefined where the run did not measure both with such a cart. */
function cpuRatio(carts: readonly CartRounds[], lines: number, to: PeerName): number | undefined {
  const rounds = carts.find((cart) => cart.lines === lines)?.rounds;
  const [ours, theirs] = [rounds?.get('ours'), rounds?.get(to)];
  return ours && theirs && ratioOf(cpuMicros(ours), cpuMicros(theirs)).median;
}

const atMost = (target: string, bound: number, figure: number | undefined) => {
  return { target, unit: 'times', sense: 'at most' as const, bound, figure };
};

/** Three digits. */
const formatShort = ({ median }: Spread): string =>
  formatNumber(median, median >= 100 ? 0 : median >= 10 ? 1 : 2);
