/** Reports every error in one way. */
import { report, send, updates } from './program.ts';

for (const given of updates)
  report(
    await send(given).then(
      ({ ok }) => ({ id: given.id, ok }),
      () => ({ id: given.id, ok: false }),
    ),
  );
