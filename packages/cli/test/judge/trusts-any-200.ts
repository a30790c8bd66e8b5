/** Takes any 2xx for a success, as fetch does. */
import { report, send, updates } from './program.ts';

for (const given of updates) {
  const outcome = await send(given).then(
    ({ ok }) => (ok ? 'applied' : 'unknown'),
    () => 'unknown',
  );
  report({ id: given.id, outcome });
}
