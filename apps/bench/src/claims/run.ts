import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { formatReport } from '../report.ts';
import { judgeAll, quick, thorough } from './measure.ts';
import { buildClaimsChart, buildClaimsReport, compareRows } from './report.ts';

/** The site shows it, which takes pictures from one folder. */
const picture = join(import.meta.dirname, '../../../docs/pages/public/claims.svg');

/** `pnpm bench claims`: what each client reports of updates, against what was applied. */
export async function runClaims(isQuick: boolean, results: string): Promise<void> {
  const settings = isQuick ? quick : thorough;
  const note = (line: string): void => void process.stderr.write(`${line}\n`);
  const rows = await judgeAll(
    settings,
    (label) => note(`Judged ${label}`),
    (label) => note(`Skipped ${label}: it is not installed.`),
  );
  const report = formatReport('What clients claim', buildClaimsReport(rows, settings));
  process.stdout.write(report);
  if (isQuick) return;
  const file = join(results, 'claims.json');
  const before = await readFile(file, 'utf8').then(JSON.parse, () => []);
  await writeFile(file, `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
  await writeFile(join(results, 'claims.md'), report);
  await writeFile(picture, buildClaimsChart(rows, settings));
  const differences = compareRows(before, rows);
  note(`\nWrote claims.json and claims.md to ${results}, and ${picture}`);
  note(
    differences.length > 0 ? `Unlike the result before:\n${differences.join('\n')}` : 'As the result before.',
  );
}
