/** Retries 408 and 5xx, as most SDKs do by default. */
import { report, send, updates } from './program.ts';

for (const given of updates) {
  let response = await send(given);
  if (response.status === 408 || response.status >= 500) response = await send(given);
  report({ id: given.id, outcome: response.ok ? 'applied' : 'rejected' });
}
