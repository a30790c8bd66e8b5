/** A project in which `fetch` is the client. */
import assert from 'node:assert/strict';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';

async function main(): Promise<void> {
  const service = await startMockOrderService();
  try {
    const update = buildOrderUpdate({ order_id: 'A-1001' });
    const answer = await fetch(`${service.url}/v2/orders/${encodeURIComponent(service.token)}`, {
      method: 'PATCH',
      headers: { authorization: `Basic ${btoa(`${service.key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify(update),
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(service.appliedUpdates(service.token), [update]);
  } finally {
    await service.close();
  }
}

void main();
