/** `pnpm scale`: the outbox beside graphile-worker, BullMQ and a plain queue of pg-boss. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { measureScale, parts, type ScaleSettings } from './outbox/measure.ts';
import { queueNames } from './outbox/queues.ts';
import { buildReport } from './outbox/report.ts';
import { formatReport, holds } from './report.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: parts.join(',') },
    queues: { type: 'string', default: queueNames.join(',') },
    rounds: { type: 'string', default: '3' },
    record: { type: 'boolean', default: false },
  },
});
const settings: ScaleSettings = {
  only: readNames(values.only, parts),
  queues: readNames(values.queues, queueNames),
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
const text = formatReport('The outbox at scale', report);
process.stdout.write(text);
if (values.record) await writeFile(join(import.meta.dirname, '../results/outbox-scale.md'), text);
if (!report.targets.every(holds)) process.exitCode = 1;

function readNames<Name extends string>(words: string, known: readonly Name[]): Name[] {
  const names = words.split(',');
  const unknown = names.find((name) => !known.includes(name as Name));
  if (unknown !== undefined) throw new TypeError(`Expected some of ${known.join(', ')}, got ${unknown}.`);
  return known.filter((name) => names.includes(name));
}
