/** A back end that has picked every package, with its own order service to test against. */
import assert from 'node:assert/strict';
import { createOrdersClient } from '@orders/client';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { explained, known, sent } from './facts.ts';
import { encodeKey } from './use-auth.ts';
import { updateOneOrder } from './use-client.ts';
import { checkOrder, explainBadOrder } from './use-schema.ts';

async function main(): Promise<void> {
  assert.equal(explainBadOrder(), explained);
  assert.equal(await encodeKey(known.key), known.authorization);

  const service = await startMockOrderService();
  const orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  try {
    await updateOneOrder(orders, service.token, 'undici');
    const checked = checkOrder();
    await orders.updateOrder(service.token, checked);
    const built = buildOrderUpdate({ order_id: 'A-1003' });
    await orders.updateOrder(service.token, built);
    assert.deepEqual(service.appliedUpdates(service.token), [sent, checked, built]);
  } finally {
    await orders.close();
    await service.close();
  }
}

void main();
