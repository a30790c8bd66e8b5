/** Puts what met a 429 at the end of its queue, behind later updates of its order. */
import { report, send, updates } from './program.ts';

const queue = [...updates];
for (let given = queue.shift(); given; given = queue.shift()) {
  const { ok, status } = await send(given);
  if (status === 429) queue.push(given);
  else report({ id: given.id, ok });
}
