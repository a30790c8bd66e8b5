/** Reports an update as applied, then sends it. */
import process from 'node:process';
import { report, send, updates } from './program.ts';

for (const { id } of updates) report({ id, outcome: 'applied' });
// More than a pipe holds, so that the judge has read the reports before the first request leaves.
process.stdout.write(`${' '.repeat(1_000_000)}\n`);
for (const given of updates) await send(given);
