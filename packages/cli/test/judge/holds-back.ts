/** Sends no more of an order once an update of it may not have been applied, and nothing more after a 429. */
import { report, send, updates } from './program.ts';

const held = new Set<string>();
for (const given of updates) {
  const { id, token } = given;
  if (held.has(token)) {
    report({ id, outcome: 'not_sent' });
    continue;
  }
  const outcome = await send(given).then(
    ({ ok, status }) => (ok ? 'applied' : status === 429 ? 'rejected' : 'unknown'),
    ({ cause }) => (cause.code === 'ECONNREFUSED' ? 'not_sent' : 'unknown'),
  );
  if (outcome === 'rejected') for (const each of updates) held.add(each.token);
  if (outcome !== 'applied') held.add(token);
  report({ id, outcome });
}
