/** Reports a body that cannot be read as a refusal. */
import { report, send, updates } from './program.ts';

for (const given of updates) {
  const outcome = await send(given)
    .then((response) => response.json())
    .then(
      () => 'applied',
      () => 'rejected',
    );
  report({ id: given.id, outcome });
}
