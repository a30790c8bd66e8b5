/** `pnpm bench`: the cost of an update, beside undici and other clients; `pnpm bench claims`: what each reports of it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { readOptions } from '../../../.ci/read-options.ts';
import { runClaims } from './claims/run.ts';
import { measureAll, quick, thorough } from './client/measure.ts';
import { buildChart, buildReport } from './client/report.ts';
import { formatReport } from './report.ts';

const help = `pnpm bench [claims] [--quick]

Measures what an update costs, beside undici and other clients; with \`claims\`, what each client reports of updates, beside
what was applied. Writes tables and pictures to apps/bench/results and apps/docs.

  --quick   checks that it works; writes nothing
`;
const { isQuick, isOfClaims } = readOptions(help, () => {
  const { values, positionals } = parseArgs({
    options: { quick: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const unknown = positionals.find((word) => word !== 'claims');
  if (unknown !== undefined) throw new Error(`${unknown}: write \`claims\`, or nothing`);
  return { isQuick: values.quick, isOfClaims: positionals.length > 0 };
});
const results = join(import.meta.dirname, '../results');

if (isOfClaims) await runClaims(isQuick, results);
else await runCosts();

async function runCosts(): Promise<void> {
  const measured = await measureAll(isQuick ? quick : thorough, (part) =>
    process.stderr.write(`Measuring ${part} …\n`),
  );
  const report = formatReport('The cost of an update', buildReport(measured));
  process.stdout.write(report);
  if (!isQuick) {
    await writeFile(join(results, 'bench.md'), report);
    await writeFile(join(results, 'bench.svg'), buildChart(measured));
    process.stdout.write(`\nWrote bench.md and bench.svg to ${results}\n`);
  }
}
