import process from 'node:process';
import { createOrdersClient } from '@orders/client';
import { createOutbox, type OutboxOptions, postgresStore } from '@orders/outbox';

/** What a worker process of a test does. */
export interface ChildOrders {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly connectionString: string;
  readonly schema: string;
  readonly rate?: OutboxOptions['rate'];
  /** Updates to accept first: token, id and quantity. */
  readonly updates?: readonly (readonly [token: string, id: string, quantity: number])[];
}

// Runs until it or its parent process ends.
process.stdin.once('end', () => process.exit()).resume();
const orders: ChildOrders = JSON.parse(process.argv[2] ?? '');
const { baseUrl, apiKey, connectionString, schema, rate, updates = [] } = orders;
const outbox = await createOutbox({
  client: createOrdersClient({ baseUrl, apiKey }),
  store: postgresStore({ connectionString }),
  databaseSchema: schema,
  ...(rate ? { rate } : {}),
});
for (const [token, id, quantity] of updates) {
  await outbox.enqueue(token, { cart: { items: [{ quantity }] } }, { id });
}
await outbox.start();
process.stdout.write('working\n');
