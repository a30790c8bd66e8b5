/** Follows redirects by itself, and takes the key along. */
import { headers, report, send, updates } from './program.ts';

for (const given of updates) {
  let response = await send(given);
  const location = response.headers.get('location');
  if (location) response = await fetch(location, { headers });
  report({ id: given.id, ok: response.ok });
}
