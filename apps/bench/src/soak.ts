import process from 'node:process';
import { showProgress } from './cli/show-progress.ts';
import { readSoakArguments } from './cli/soak-arguments.ts';
import { formatSoak } from './report/soak-tables.ts';
import { judgeSoak } from './soak/judge-soak.ts';
import { runSoak, type SoakSettings } from './soak/run-soak.ts';

const wanted = readSoakArguments(process.argv.slice(2));
if (wanted.wish === 'print') process.stdout.write(wanted.text);
else if (wanted.wish === 'none') fail(wanted.mistake, 2);
else await run(wanted.order);

async function run(settings: SoakSettings): Promise<void> {
  const startedAt = performance.now();
  const record = await runSoak(settings, showProgress(process.stderr));
  const checks = judgeSoak(record);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stdout.write(`${formatSoak(record, checks)}\n${settings.updates} updates in ${seconds} s\n`);
  if (checks.some(({ holds }) => !holds)) fail('a check does not hold.', 1);
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`soak: ${message}\n`);
  process.exitCode = exitCode;
}
