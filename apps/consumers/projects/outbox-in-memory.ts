/** A back end that keeps its updates in an outbox, in PGlite. */
import assert from 'node:assert/strict';
import { createOrdersClient } from '@orders/client';
import { createOutbox } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { startMockOrderService } from '@orders/testing';
import { sent } from './facts.ts';

async function main(): Promise<void> {
  const service = await startMockOrderService();
  const client = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const outbox = await createOutbox({ client, store: await pgliteStore() });
  try {
    const id = await outbox.enqueue(service.token, sent);
    await outbox.drain();
    assert.equal((await outbox.get(id))?.state, 'applied');
    assert.deepEqual(service.appliedUpdates(service.token), [sent]);
  } finally {
    await outbox.close();
    await client.close();
    await service.close();
  }
}

void main();
