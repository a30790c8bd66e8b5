/** Sends one update to each of many orders at once, over each transport, and prints as JSON how many calls had each outcome. */
import process from 'node:process';
import { setDefaultCACertificates } from 'node:tls';
import * as overFetch from '../src/fetch.ts';
import * as overUndici from '../src/index.ts';

const [transports = '', baseUrl = '', ca = '', updates = '', attempt = ''] = process.argv.slice(2);
setDefaultCACertificates([ca]);
const clients = transports.split(',').map((transport) => {
  const { createOrdersClient } = transport === 'fetch' ? overFetch : overUndici;
  return createOrdersClient({
    baseUrl,
    apiKey: 'swordfish-swordfish',
    retry: { maxAttempts: 1 },
    timeouts: { attempt: Number(attempt) },
  });
});
const calls = clients.flatMap((orders) =>
  Array.from({ length: Number(updates) }, (_, index) =>
    orders.safeUpdateOrder(`order_${index}`, { cart: { items: [] } }),
  ),
);
const counts: Record<string, number> = {};
for (const { outcome } of await Promise.all(calls)) counts[outcome] = (counts[outcome] ?? 0) + 1;
await Promise.all(clients.map((orders) => orders.close()));
process.stdout.write(JSON.stringify(counts));
