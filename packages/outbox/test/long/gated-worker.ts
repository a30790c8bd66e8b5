import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import { createOutbox, type Outbox, OutboxError, postgresStore } from '@orders/outbox';

const [baseUrl = '', apiKey = '', connectionString = ''] = process.argv.slice(2);
/** As long as the test may take: where so many share a processor, a response that has arrived may be read much later. */
const timeouts = { attempt: 900_000, total: 900_000 };

/** Opens the outbox, again where the machine was too busy to connect in time: as a supervisor would, later each time. */
async function open(): Promise<{ readonly outbox: Outbox; readonly failures: number }> {
  for (let failures = 0; ; failures++) {
    try {
      const client = createOrdersClient({ baseUrl, apiKey, timeouts });
      const outbox = await createOutbox({ client, store: postgresStore({ connectionString }), warn() {} });
      return { outbox, failures };
    } catch (error) {
      if (!(error instanceof OutboxError && error.code === 'database_unusable')) throw error;
      await delay(Math.random() * Math.min(60_000, 1_000 * 2 ** failures));
    }
  }
}

// Opens its outbox and starts it once it reads a line; runs until it or its parent process ends.
process.stdin.once('end', () => process.exit());
process.stdout.write('loaded\n');
process.stdin.once('data', async () => {
  const beganAt = performance.now();
  const { outbox, failures } = await open();
  await outbox.start();
  process.stdout.write(`${Math.round(performance.now() - beganAt)} ${failures}\n`);
});
