import process from 'node:process';
import { createOrdersClient } from '@orders/client';
import { createOutbox, postgresStore } from '@orders/outbox';

/** What the worker of a soak works on. */
export interface SoakSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly connectionString: string;
  readonly keepSettledMs: number;
}

// Runs until it or its parent process ends. For each line that it reads, it prints its heap in bytes.
const { baseUrl, apiKey, connectionString, keepSettledMs }: SoakSettings = JSON.parse(process.argv[2] ?? '');
await using outbox = await createOutbox({
  client: createOrdersClient({ baseUrl, apiKey }),
  store: postgresStore({ connectionString }),
  keepSettledMs,
  warn: (message) => void process.stderr.write(`${message}\n`),
});
await outbox.start();
for await (const _ of process.stdin) {
  globalThis.gc?.();
  process.stdout.write(`${process.memoryUsage().heapUsed}\n`);
}
process.exit();
