import { section } from '../report/section.ts';
import type { Highlight } from '../report/tables.ts';
import type { ScaleResult } from './scale-result.ts';
import { type ScaleTable, scaleTables } from './scale-tables.ts';

/** Everything that a run found, in plain text. */
export function formatScale(result: ScaleResult, highlight: Highlight): string {
  const paint = (row: readonly string[]): string[] =>
    row.map((cell) => (row[0]?.startsWith('ours') ? highlight(cell) : cell));
  const tables = scaleTables(result).map(({ title, rows }) => section(title, rows.map(paint)));
  return [...conditions(result), ...tables].join('\n\n');
}

/** The same as a page of Markdown. */
export function formatScalePage(result: ScaleResult): string {
  const tables = scaleTables(result).map((table) => `## ${table.title}\n\n${markdown(table)}`);
  return ['# What the outbox takes', ...conditions(result), ...tables].join('\n\n');
}

function conditions({ date, node, cpu, cores, postgres, redis, settings }: ScaleResult): string[] {
  const { rounds, inFlight, fsync, queues } = settings;
  const servers = [
    `PostgreSQL ${postgres} with fsync ${fsync ? 'on' : 'off'}`,
    ...(redis === null ? [] : [`Redis ${redis} with appendonly yes, appendfsync everysec`]),
  ];
  const counted = rounds === 1 ? 'One round' : `Medians of ${rounds} rounds, with the quartiles in brackets`;
  return [
    `${counted}; ${inFlight} updates on their way at once, over all processes.`,
    `${date}, Node ${node}, ${cores} cores of ${cpu}; ${servers.join('; ')}.`,
    ...(redis === null && queues.includes('bullmq') ? [noRedis] : []),
  ];
}

const noRedis =
  'BullMQ was left out: there is no redis-server on the PATH (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis).';

function markdown({ rows: [head = [], ...rows] }: ScaleTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
