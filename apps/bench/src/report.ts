import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { cpus } from 'node:os';
import process from 'node:process';
import type { Spread } from './rounds.ts';

/** A table, its head first. */
export interface Table {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** A figure that this repository promises. */
export interface Target {
  readonly target: string;
  readonly unit: string;
  readonly sense: 'at least' | 'at most';
  readonly bound: number;
  readonly figure: number;
}

/** Whether a target holds; a figure that is no number does not. */
export const holds = ({ sense, bound, figure }: Target): boolean =>
  sense === 'at least' ? figure >= bound : figure <= bound;

/** A page of Markdown that also reads well on a terminal; tables without a row are left out. */
export function formatReport(
  title: string,
  {
    conditions,
    tables,
    targets,
  }: {
    readonly conditions: string;
    readonly tables: readonly Table[];
    readonly targets: readonly Target[];
  },
): string {
  const judged = targets.map((target) => {
    const { unit, sense, bound, figure } = target;
    const digits = ['times', 'ms', 'MiB'].includes(unit) ? 2 : 0;
    const show = (value: number): string => `${formatNumber(value, digits)} ${unit}`;
    return [target.target, `${sense} ${show(bound)}`, show(figure), holds(target) ? 'yes' : 'NO'];
  });
  const all = [...tables, { title: 'Targets', rows: [['', 'target', 'found', 'holds'], ...judged] }];
  const sections = all
    .filter(({ rows }) => rows.length > 1)
    .map((table) => `## ${table.title}\n\n${formatTable(table)}`);
  return `${[`# ${title}`, conditions, ...sections].join('\n\n')}\n`;
}

function formatTable({ rows }: Table): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const format = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, column)).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [format(head), format(rule), ...body.map(format)].join('\n');
}

const pad = (cell: string, width: number, column: number): string =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width);

/** A number with so many digits after the point. */
export function formatNumber(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The median, with the quartiles where they differ. */
export function formatSpread({ median, low, high }: Spread, digits: number, unit = ''): string {
  const show = (value: number): string => formatNumber(value, digits);
  return `${show(median)}${low === high ? '' : ` (${show(low)}–${show(high)})`}${unit && ` ${unit}`}`;
}

/** When and where this runs. */
export function formatPlace(): string {
  const cores = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, Node ${process.versions.node}, ${cores.length} cores of ${cores[0]?.model ?? 'an unknown CPU'}`;
}

/** The version of an installed package. */
export function versionOf(packageName: string): string {
  const file = findPackageJSON(packageName, import.meta.url);
  return file === undefined ? 'unknown' : String(JSON.parse(readFileSync(file, 'utf8')).version);
}
