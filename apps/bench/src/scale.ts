/** `pnpm scale`: what the outbox takes, on a long queue and with several processes. */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { measureScale, parts, type ScaleSettings } from './outbox/measure.ts';
import { buildReport } from './outbox/report.ts';
import { formatReport, holds } from './report.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: parts.join(',') },
    rounds: { type: 'string', default: '3' },
  },
});
const settings: ScaleSettings = {
  only: readParts(values.only),
  rounds: Number(values.rounds),
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

function readParts(words: string): (typeof parts)[number][] {
  const names = words.split(',');
  const unknown = names.find((name) => !parts.some((part) => part === name));
  if (unknown !== undefined) throw new TypeError(`Expected some of ${parts.join(', ')}, got ${unknown}.`);
  return parts.filter((part) => names.includes(part));
}
