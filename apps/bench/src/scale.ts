/** `pnpm scale`: what the outbox takes, on a long queue and with several processes. */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { readCount, readName, readOptions } from '../../../.ci/read-options.ts';
import { measureScale, parts, type ScaleSettings } from './outbox/measure.ts';
import { buildReport } from './outbox/report.ts';
import { formatReport, holds } from './report.ts';

const help = `Measures what the outbox takes, on a long queue and with several processes, on PGlite and PostgreSQL.

  --only <parts>     some of ${parts.join(',')}; all by default
  --rounds <number>  3 by default

Exits with 0 when every figure is within its target, else with 1.
`;
const options = readOptions(help, () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: parts.join(',') },
      rounds: { type: 'string', default: '3' },
    },
  });
  const only = values.only.split(',').map((name) => readName('--only', name, parts));
  return { only, rounds: readCount('--rounds', values.rounds) };
});
const settings: ScaleSettings = {
  ...options,
  updates: 4_000,
  orders: 200,
  inFlight: 32,
  processes: [1, 2, 4],
  depths: [1_000, 10_000, 100_000],
  window: 2_000,
  windowMs: 30_000,
  samples: 300,
  seconds: 10,
  fsync: true,
};
// An exit by signal ends the servers too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const report = buildReport(
  await measureScale(settings, (part) => process.stderr.write(`Measuring ${part} …\n`)),
);
process.stdout.write(formatReport('The outbox at scale', report));
if (!report.targets.every(holds)) process.exitCode = 1;
