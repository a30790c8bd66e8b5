import { createOrdersClient } from '@orders/client';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { Trouble } from '../contract/switchboard-view.ts';
import { switchboardFaults } from './switchboard-faults.ts';

test('all well is no fault', () => {
  expect(switchboardFaults({ trouble: 'none', percent: 50 })).toEqual([]);
});

test.each(Trouble.options.filter((trouble) => trouble !== 'none' && trouble !== 'down'))(
  '%s befalls a share of the updates and nothing else',
  (trouble) => {
    expect(switchboardFaults({ trouble, percent: 25 })).toEqual([
      expect.objectContaining({ when: 'sometimes', probability: 0.25, operation: 'update' }),
    ]);
  },
);

test('busy is a 429 with Retry-After, failing a 503', () => {
  const [busy, failing] = (['busy', 'failing'] as const).flatMap((trouble) =>
    switchboardFaults({ trouble, percent: 100 }).map(({ fault }) => fault),
  );
  expect(busy).toEqual({ type: 'status', status: 429, headers: { 'retry-after': '1' } });
  expect(failing).toEqual({ type: 'status', status: 503 });
});

test('an update that arrives between two restarts of a service that is down is rejected, not unknown', async () => {
  await using service = await startMockOrderService({
    faults: switchboardFaults({ trouble: 'down', percent: 100 }),
  });
  await using orders = createOrdersClient({
    baseUrl: service.url,
    apiKey: service.key,
    retry: { maxAttempts: 1 },
  });
  expect(await orders.safeUpdateOrder(service.token, { cart: {} })).toMatchObject({
    error: { outcome: 'rejected', status: 429 },
  });
  expect(service.ledger).toEqual([]);
});
