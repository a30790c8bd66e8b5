import type { BenchResult, CartResult, PeerResult } from './bench-result.ts';
import { section } from './section.ts';
import type { Spread } from './statistics.ts';
import type { TargetResult } from './targets.ts';

/** Makes a text stand out, where the output can. */
export type Highlight = (text: string) => string;

type Cell = string;

/** Everything that a run found, as tables in plain text. */
export function formatResult(result: BenchResult, highlight: Highlight): string {
  const { date, node, cpu, rounds, concurrency } = result;
  return [
    `Medians of ${rounds} rounds, with the quartiles in brackets; ${concurrency} requests in flight.`,
    `${date}, Node ${node}, ${cpu}`,
    ...result.carts.map((cart) => section(titleOf(cart), cartRows(cart, highlight))),
    section('Checking an update, nothing sent', validationRows(result, highlight)),
    section('Import in a fresh process', importRows(result, highlight)),
    section('The order service, with ledger and journal', serviceRows(result)),
    section('Targets', targetRows(result.targets)),
  ].join('\n\n');
}

const titleOf = ({ lines, bodyBytes }: CartResult): string =>
  `Update with a cart of ${lines} ${lines === 1 ? 'line' : 'lines'} (${bodyBytes.toLocaleString('en')} bytes)`;

/** The rows of one cart's table, its head first. */
export function cartRows({ peers }: CartResult, highlight: Highlight): Cell[][] {
  const head = ['', 'version', 'CPU per request', 'to undici.request', 'requests/s', 'peak memory'];
  const rows = peers.map((peer: PeerResult) => {
    const paint = peer.name === 'ours' ? highlight : plain;
    return [
      peer.label,
      peer.version,
      `${round(peer.cpuMicros.median)} µs`,
      formatSpread(peer.ratio),
      Math.round(peer.perSecond.median).toLocaleString('en'),
      formatMiB(peer.peakBytes),
    ].map(paint);
  });
  return [head, ...rows];
}

function validationRows({ validation }: BenchResult, highlight: Highlight): Cell[][] {
  const head = ['', 'lines', 'CPU per update', 'to zod'];
  const rows = validation.map(({ name, label, lines, cpuMicros, ratio }) =>
    [label, String(lines), `${round(cpuMicros.median)} µs`, formatSpread(ratio)].map(
      name === 'ours-compiled' ? highlight : plain,
    ),
  );
  return [head, ...rows];
}

function importRows({ imports }: BenchResult, highlight: Highlight): Cell[][] {
  const head = ['', 'CPU', 'to undici'];
  const rows = imports.map(({ name, cpuMs, ratio }) =>
    [name, `${round(cpuMs.median)} ms`, formatSpread(ratio)].map(
      name === '@orders/client' ? highlight : plain,
    ),
  );
  return [head, ...rows];
}

const loadNames = { dispatch: 'sent by bare dispatch', sockets: 'sent over bare sockets' };

function serviceRows({ service }: BenchResult): Cell[][] {
  const show = ({ median }: Spread): string => Math.round(median).toLocaleString('en');
  const rows = service.map(({ load, perSecond, barePerSecond, ratio }) => [
    loadNames[load],
    show(perSecond),
    show(barePerSecond),
    formatSpread(ratio),
  ]);
  return [['', 'updates/s', 'bare server', 'to the bare server'], ...rows];
}

/** The rows of the table of targets, its head first. */
export function targetRows(targets: readonly TargetResult[]): Cell[][] {
  const head = ['', 'at most', 'found', 'holds'];
  const rows = targets.map(({ target, unit, atMost, figure, holds }) => {
    const show = (value: number): string => `${value.toFixed(2)} ${unit}`;
    return [
      target,
      show(atMost),
      figure === null ? 'not measured' : show(figure),
      holds === null ? '' : holds ? 'yes' : 'NO',
    ];
  });
  return [head, ...rows];
}

const plain: Highlight = (text) => text;

function formatSpread({ median, low, high }: Spread): string {
  return `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

function formatMiB(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(0)} MiB`;
}

/** As many digits as are worth reading. */
function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
