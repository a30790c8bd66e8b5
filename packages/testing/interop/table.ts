import { styleText } from 'node:util';
import type { Result } from './case.ts';

const signs = { passed: '✓', failed: '✗', skipped: '-' };
const colours = { passed: 'green', failed: 'red', skipped: 'yellow' } as const;

/** The table for a terminal: verdict, peer, case, and what was seen. */
export function tableOf(results: readonly Result[]): string {
  const peerWide = wide(results.map(({ peer }) => peer));
  const nameWide = wide(results.map(({ name }) => name));
  return results
    .map(({ peer, name, verdict, seen }) => {
      const sign = styleText(colours[verdict], `${signs[verdict]} ${verdict.padEnd(7)}`);
      return `${sign}  ${peer.padEnd(peerWide)}  ${name.padEnd(nameWide)}  ${lineOf(seen)}`;
    })
    .join('\n');
}

/** The same in Markdown, its columns aligned as the formatter would. */
export function markdownOf(results: readonly Result[]): string {
  const rows = [
    ['peer', 'case', 'verdict', 'seen'],
    ...results.map(({ peer, name, verdict, seen }) => [peer, name, verdict, shorten(lineOf(seen))]),
  ].map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = [0, 1, 2, 3].map((column) => wide(rows.map((cells) => cells[column] ?? '')));
  const [head = [], ...body] = rows.map((cells) =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)),
  );
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** How many rows came to which verdict. */
export function totalsOf(results: readonly Result[]): string {
  const count = (verdict: Result['verdict']): number =>
    results.filter((result) => result.verdict === verdict).length;
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`;
}

/** One long text would widen every row. */
function shorten(text: string): string {
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}

function wide(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}

function lineOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
