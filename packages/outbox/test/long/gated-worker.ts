import process from 'node:process';
import { createOrdersClient } from '@orders/client';
import { createOutbox, postgresStore } from '@orders/outbox';
import pg from 'pg';

const [baseUrl = '', apiKey = '', connectionString = ''] = process.argv.slice(2);

// Opens its outbox and starts it once it reads a line; runs until it or its parent process ends.
process.stdin.once('end', () => process.exit());
process.stdout.write('loaded\n');
process.stdin.once('data', async () => {
  const beganAt = performance.now();
  const client = createOrdersClient({ baseUrl, apiKey });
  // Two cores connect 200 processes in minutes, and whoever gave up earlier would only begin again.
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 600_000 });
  const outbox = await createOutbox({ client, store: postgresStore({ pool }), warn() {} });
  await outbox.start();
  process.stdout.write(`${Math.round(performance.now() - beganAt)}\n`);
});
