/** Sends what the service refuses, or what follows the first update of an order, and reports each refusal truly. */
import process from 'node:process';
import { headers, report, send, updates } from './program.ts';

const [, , mistake = '', isLater] = process.argv;
const amiss = {
  key: { headers: { ...headers, authorization: `Basic ${btoa('another-key:')}` } },
  type: { headers: { ...headers, 'content-type': 'text/plain' } },
  method: { method: 'POST' },
  path: { version: 'v1' },
}[mistake];

for (const given of updates) {
  const { ok } = await send(given, isLater && given.id.endsWith('-1') ? {} : amiss);
  report({ id: given.id, outcome: ok ? 'applied' : 'rejected' });
}
