/** A back end that has the client and its tests' order service, and has declared nothing else. */
import assert from 'node:assert/strict';
import { createOrdersClient } from '@orders/client';
import { startMockOrderService } from '@orders/testing';
import { sent } from './facts.ts';
import { updateOneOrder } from './use-client.ts';

async function main(): Promise<void> {
  const service = await startMockOrderService();
  const orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  try {
    await updateOneOrder(orders, service.token, 'undici');
    assert.deepEqual(service.appliedUpdates(service.token), [sent]);
  } finally {
    await orders.close();
    await service.close();
  }
}

void main();
