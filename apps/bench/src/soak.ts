/** `pnpm --filter bench soak`: the client against a service that keeps failing; both sides must agree at the end. */
import process from 'node:process';
import { inspect, parseArgs } from 'node:util';
import { formatPlace, formatReport, holds } from './report.ts';
import { countSoak, judgeSoak, runSoak } from './soak/run-soak.ts';

const { values } = parseArgs({
  options: { updates: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } },
});
const settings = { updates: Number(values.updates), faultEvery: 50, seed: Number(values.seed) };
const startedAt = performance.now();
const record = await runSoak(settings, (sent) =>
  process.stderr.write(`${sent} of ${settings.updates} updates\n`),
);
const seconds = Math.round((performance.now() - startedAt) / 1_000);
const targets = judgeSoak(record);
const conditions = [
  `${settings.updates} updates in ${seconds} s, one request in ${settings.faultEvery} faulted, seed ${settings.seed}.`,
  `${formatPlace()}.`,
  ...countSoak(record).map((counts) => inspect(counts, { breakLength: 110 })),
].join('\n');
process.stdout.write(formatReport('Soak of the client', { conditions, tables: [], targets }));
if (!targets.every(holds)) process.exitCode = 1;
