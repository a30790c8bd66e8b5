/** Takes every status that is no success for a refusal. */
import { report, send, updates } from './program.ts';

for (const given of updates) {
  const { ok } = await send(given);
  report({ id: given.id, outcome: ok ? 'applied' : 'rejected' });
}
