import { styleText } from 'node:util';
import type { Result } from '../rows/run-rows.ts';

/** The results under the heading of their group, a line each. */
export function matrixTable(results: readonly Result[]): string {
  const parts = results.map((result) => ({ ...splitName(result.row.name), result }));
  const wide = Math.max(...parts.map(({ what }) => what.length));
  const groups = Map.groupBy(parts, ({ group }) => group);
  return [...groups]
    .flatMap(([group, members]) => [
      styleText('bold', group),
      ...members.map(({ what, result }) => `  ${lineOf(what.padEnd(wide), result)}`),
    ])
    .join('\n');
}

function lineOf(what: string, { told, seconds }: Result): string {
  const mark = told === undefined ? styleText('red', '✗') : styleText('green', '✓');
  return `${mark} ${what}  ${seconds.toFixed(1).padStart(5)} s  ${told ?? 'does not work'}`.trimEnd();
}

function splitName(name: string): { readonly group: string; readonly what: string } {
  const comma = name.indexOf(', ');
  return { group: name.slice(0, comma), what: name.slice(comma + 2) };
}

/** Why rows are red: a paragraph for each cause, with all the rows that have it, and what the first of them said. */
export function reasonsOf(results: readonly Result[]): string {
  const red = results.flatMap(({ row, reason }) => (reason === undefined ? [] : { name: row.name, reason }));
  return [...Map.groupBy(red, ({ reason }) => causeOf(reason)).values()]
    .map((rows) => {
      const names = rows.map(({ name }) => name).join('\n  ');
      return `${styleText('red', '✗')} ${names}\n    ${rows[0]?.reason.replaceAll('\n', '\n    ')}`;
    })
    .join('\n');
}

/** The first line of several names the command, which differs from row to row. */
function causeOf(reason: string): string {
  return reason.split('\n').slice(1).join('\n') || reason;
}

/** `53 work, 0 do not`. */
export function totalsOf(results: readonly Result[]): string {
  const red = results.filter(({ reason }) => reason !== undefined).length;
  return `${results.length - red} work, ${red} do not`;
}
