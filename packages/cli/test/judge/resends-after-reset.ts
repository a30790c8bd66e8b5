/** Resends after any network error, as stripe-node does once, there with a key that makes it safe. */
import { report, send, updates } from './program.ts';

for (const given of updates) {
  const { ok } = await send(given).catch(() => send(given));
  report({ id: given.id, ok });
}
