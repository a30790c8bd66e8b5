import { type Bar, drawChart } from '../chart.ts';
import { formatNumber, formatPlace, type Table } from '../report.ts';
import type { ClaimsRow, ClaimsSettings, Wrong } from './measure.ts';

/** What can be wrong, as the picture shows it, the worst first. */
const kinds = [
  { color: 'a', label: 'applied twice', of: ['applied_twice'] },
  { color: 'b', label: 'reported wrongly', of: ['denied', 'claimed'] },
  { color: 'c', label: 'applied, but reported as an error without an outcome', of: ['error'] },
  { color: 'd', label: 'no report in time', of: ['no_report'] },
] as const;

/** Columns of the table by their names in `orders judge`; those without a count in any row are left out. */
const columns = {
  applied_twice: 'applied twice',
  denied: 'said it was not, but applied (denied)',
  claimed: 'said applied, but was not (claimed)',
  error: 'error without an outcome, but applied',
  doubted: 'said unknown, though confirmed',
  not_applied: 'not applied without a fault',
  overtaken: 'overtaken',
  late: 'late',
  altered: 'altered',
  no_report: 'no report in time (hung)',
  key_elsewhere: 'key to another host',
};

const sumOf = (wrong: Wrong, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (wrong[name] ?? 0), 0);
const percentOf = ({ settled, updates }: ClaimsRow): string =>
  `${formatNumber((100 * settled) / updates, 1)}%`;
const nameOf = ({ label, setting }: ClaimsRow): string => `${label}, ${setting}`;

/** What every client claims, as tables. */
export function buildClaimsReport(rows: readonly ClaimsRow[], { orders, timeout, limit }: ClaimsSettings) {
  const seen = Object.entries(columns).filter(([name]) => rows.some(({ wrong }) => wrong[name]));
  const show = (count = 0): string => formatNumber(count);
  const tables: Table[] = [
    {
      title: 'Reports that were wrong',
      rows: [
        ['', 'version', ...seen.map(([, label]) => label), 'settled', 'not, though definite'],
        ...rows.map((row) => [
          nameOf(row),
          row.version,
          ...seen.map(([name]) => show(row.wrong[name])),
          percentOf(row),
          show(row.unsettled),
        ]),
      ],
    },
    ...(['default', 'safest'] as const).map((setting): Table => {
      const own = rows.filter((row) => row.setting === setting);
      const names = Object.keys(own[0]?.cases ?? {});
      return {
        title: `Wrong by case, ${setting}`,
        rows: [
          ['', ...own.map(({ label }) => label)],
          ...names.map((name) => [name, ...own.map(({ cases }) => formatWrong(cases[name]?.wrong))]),
        ],
      };
    }),
  ];
  const [{ updates = 0, cases = {} } = {}] = rows;
  const conditions =
    `${formatNumber(updates)} updates each: ${formatNumber(orders)} orders of 4 updates in each of ${Object.keys(cases).length} cases. ` +
    `Time limit of an attempt in the safest setting: ${timeout}; a program is killed after ${limit}.\n${formatPlace()}.`;
  return { conditions, tables, targets: [] };
}

/** Without what follows from a program that was killed. */
function formatWrong(wrong: Wrong = {}): string {
  return Object.entries(wrong)
    .filter(([kind]) => kind !== 'no_report' || !wrong['hung'])
    .map(([kind, count]) => (kind === 'hung' ? 'hung' : `${formatNumber(count)} ${kind}`))
    .join(', ');
}

export function buildClaimsChart(rows: readonly ClaimsRow[], { limit }: ClaimsSettings): string {
  const bars = rows.map((row): Bar => {
    const parts = kinds.map(({ color, of }) => ({ color, value: sumOf(row.wrong, of) }));
    const wrong = parts.reduce((sum, { value }) => sum + value, 0);
    const note = `${formatNumber(wrong)}  (settled ${percentOf(row)})`;
    return { label: nameOf(row), parts, note, isOurs: row.client === 'ours' };
  });
  return drawChart(bars, {
    title: `Updates applied twice or misreported, of ${formatNumber(rows[0]?.updates ?? 0)} in ${Object.keys(rows[0]?.cases ?? {}).length} cases`,
    subtitle: 'What a client reports of each update, beside what the service applied; less is better',
    legend: kinds,
    notes: [
      `In brackets: reported as applied, rejected or not sent, and true. A program was killed after ${limit} in a case.`,
      formatPlace(),
    ],
  });
}

/** What differs between two results, a line for each client. */
export function compareRows(before: readonly ClaimsRow[], after: readonly ClaimsRow[]): readonly string[] {
  return after.flatMap((row) => {
    const old = before.find(({ client, setting }) => client === row.client && setting === row.setting);
    if (!old) return [`${nameOf(row)}: is new`];
    const names = new Set([...Object.keys(old.wrong), ...Object.keys(row.wrong)]);
    const pairs = [...names].map((name) => [name, old.wrong[name] ?? 0, row.wrong[name] ?? 0] as const);
    const differing = [...pairs, ['settled', old.settled, row.settled] as const].filter(
      ([, a, b]) => a !== b,
    );
    return differing.length === 0
      ? []
      : [`${nameOf(row)}: ${differing.map(([name, a, b]) => `${name} ${a} -> ${b}`).join(', ')}`];
  });
}
