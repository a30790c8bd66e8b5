import process from 'node:process';
import { createInterface } from 'node:readline';
import { createOrdersClient } from '@orders/client';
import { createOutbox, pgliteStore, postgresStore } from '@orders/outbox';
import type { Answer, Order, WorkerSettings } from './protocol.ts';

// A worker process of the chaos run: it does as its input says, and is killed without notice.
const { baseUrl, apiKey, engine, place }: WorkerSettings = JSON.parse(process.env['CHAOS_WORKER'] ?? '');
const client = createOrdersClient({
  baseUrl,
  apiKey,
  timeouts: { connect: 500, attempt: 1_000, total: 2_000 },
});
const store = engine === 'pglite' ? await pgliteStore(place) : postgresStore({ connectionString: place });
const outbox = await createOutbox({
  client,
  store,
  onRejected: 'hold',
  maxRetryDelayMs: 500,
  warn: () => {},
});
await outbox.work();

async function obey(order: Order): Promise<unknown> {
  switch (order.kind) {
    case 'enqueue': {
      // An answer may have been lost with the process that gave it: the same id is accepted once.
      if (await outbox.status(order.id)) return order.id;
      const cart = { items: [{ sku: order.id, quantity: order.step }] };
      return outbox.enqueue(order.token, { cart }, { id: order.id });
    }
    case 'decide':
      return outbox[order.choice](order.id);
    case 'list':
      return outbox.listDecisions(10_000);
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
