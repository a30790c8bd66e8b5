/** Never commits itself. */
import { report, send, updates } from './program.ts';

for (const given of updates) {
  await send(given).catch(() => {});
  report({ id: given.id, outcome: 'unknown' });
}
