import process from 'node:process';
import { createInterface } from 'node:readline';
import { createOrdersClient } from '@orders/client';
import { createOutbox, OutboxError, postgresStore } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import type { Command, Result, WorkerSettings } from './protocol.ts';

// A worker process of the chaos run: it runs the commands that it reads, and is stopped and killed without notice.
const { baseUrl, apiKey, engine, place }: WorkerSettings = JSON.parse(process.env['CHAOS_WORKER'] ?? '');
const client = createOrdersClient({
  baseUrl,
  apiKey,
  timeouts: { connect: 500, attempt: 1_000, total: 2_000 },
});
const store = engine === 'pglite' ? await pgliteStore(place) : postgresStore({ connectionString: place });
const options = { client, store, onRejected: 'hold', maxRetryDelayMs: 500, warn: () => {} } as const;
// The database may be down: the parent process starts another worker.
const outbox = await createOutbox(options).catch(() => process.exit(1));
await outbox.start();

async function run(command: Command): Promise<unknown> {
  switch (command.kind) {
    case 'enqueue': {
      const cart = { items: [{ sku: command.id, quantity: command.step }] };
      return outbox.enqueue(command.token, { cart }, { id: command.id }).catch((error: unknown) => {
        // An earlier call may have been accepted without a result: the same id is accepted once.
        if (!(error instanceof OutboxError && error.code === 'duplicate_id')) throw error;
      });
    }
    case 'decide':
      // Some may have been decided by a process that was killed before its result.
      return Promise.allSettled([
        ...command.retry.map((id) => outbox.retry(id, { by: 'chaos' })),
        ...command.resolve.map((id) => outbox.resolve(id, 'applied', { by: 'chaos' })),
      ]);
    case 'list':
      return (await outbox.list({ limit: 200 })).map(({ id, settledAt }) => ({ id, settledAt }));
    case 'counts':
      return outbox.counts();
  }
}

function write(result: Result): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

write({ number: 0 });
for await (const line of createInterface({ input: process.stdin })) {
  const { number, command }: { number: number; command: Command } = JSON.parse(line);
  run(command).then(
    (value) => write({ number, value }),
    (error: unknown) => write({ number, error: String(error) }),
  );
}
// The run has ended without killing it.
process.exit();
