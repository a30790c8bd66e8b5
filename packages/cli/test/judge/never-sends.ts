/** Sends nothing, and reports that truly. */
import { report, updates } from './program.ts';

for (const { id } of updates) report({ id, outcome: 'not_sent' });
