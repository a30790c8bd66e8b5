import process from 'node:process';
import { createInterface } from 'node:readline';
import { createOrdersClient } from '@orders/client';
import { createOutbox, OutboxError, pgliteStore, postgresStore } from '@orders/outbox';
import type { Answer, Order, WorkerSettings } from './protocol.ts';

// A worker process of the chaos run: it does as its input says, and is killed without notice.
const { baseUrl, apiKey, engine, place }: WorkerSettings = JSON.parse(process.env['CHAOS_WORKER'] ?? '');
const client = createOrdersClient({
  baseUrl,
  apiKey,
  timeouts: { connect: 500, attempt: 1_000, total: 2_000 },
});
const store = engine === 'pglite' ? await pgliteStore(place) : postgresStore({ connectionString: place });
const options = { client, store, onRejected: 'hold', maxRetryDelayMs: 500, warn: () => {} } as const;
// The database may be away just now: whoever started this process starts another.
const outbox = await createOutbox(options).catch(() => process.exit(1));
await outbox.work();

async function obey(order: Order): Promise<unknown> {
  switch (order.kind) {
    case 'enqueue': {
      const cart = { items: [{ sku: order.id, quantity: order.step }] };
      return outbox.enqueue(order.token, { cart }, { id: order.id }).catch((error: unknown) => {
        // An answer may have been lost with the process that gave it: the same id is accepted once.
        if (!(error instanceof OutboxError && error.code === 'duplicate_id')) throw error;
      });
    }
    case 'decide':
      // Some may have been decided before the process that should have answered ended.
      return Promise.allSettled([...order.retry.map(outbox.retry), ...order.discard.map(outbox.discard)]);
    case 'list':
      return (await outbox.listDecisions(200)).map(({ id, settledAt }) => ({ id, settledAt }));
    case 'counts':
      return outbox.counts();
  }
}

function answer(text: Answer): void {
  process.stdout.write(`${JSON.stringify(text)}\n`);
}

answer({ number: 0 });
for await (const line of createInterface({ input: process.stdin })) {
  const { number, order }: { number: number; order: Order } = JSON.parse(line);
  obey(order).then(
    (result) => answer({ number, result }),
    (error: unknown) => answer({ number, error: String(error) }),
  );
}
