/** `pnpm bench`: the cost of an update, beside undici and other clients; `pnpm bench claims`: what each reports of it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runClaims } from './claims/run.ts';
import { measureAll, quick, thorough } from './client/measure.ts';
import { buildChart, buildReport } from './client/report.ts';
import { formatReport } from './report.ts';

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (positionals.some((word) => word !== 'claims')) throw new Error('Write: bench [claims] [--quick]');
const results = join(import.meta.dirname, '../results');

if (positionals.includes('claims')) await runClaims(values.quick, results);
else await runCosts();

async function runCosts(): Promise<void> {
  const measured = await measureAll(values.quick ? quick : thorough, (part) =>
    process.stderr.write(`Measuring ${part} …\n`),
  );
  const report = formatReport('The cost of an update', buildReport(measured));
  process.stdout.write(report);
  if (!values.quick) {
    await writeFile(join(results, 'bench.md'), report);
    await writeFile(join(results, 'bench.svg'), buildChart(measured));
    process.stdout.write(`\nWrote bench.md and bench.svg to ${results}\n`);
  }
}
