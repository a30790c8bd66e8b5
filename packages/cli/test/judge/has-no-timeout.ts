/** Waits for a response for as long as it takes. */
import { report, send, updates } from './program.ts';

for (const given of updates) {
  const { ok } = await send(given);
  report({ id: given.id, ok });
}
