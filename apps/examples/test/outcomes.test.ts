import { createOrdersClient } from '@orders/client';
import { type Fault, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { toCustomerResponse } from '../outcomes.ts';

const saved = 'Your change is saved.';
const checking = 'We are checking whether your change is saved. Please do not repeat it.';
const later = 'Your change is not saved. Please try again later.';
const failed = 'Your change could not be saved.';
const status = (code: number): Fault => ({ type: 'status', status: code });

test.each<readonly [fault: Fault, status: number, message: string]>([
  [{ type: 'none' }, 200, saved],
  [{ type: 'truncation' }, 200, saved],
  [{ type: 'reset_after_applying' }, 202, checking],
  [status(503), 202, checking],
  [status(429), 503, later],
  [status(401), 500, failed],
])('after $0 the customer gets a $1', async (fault, code, message) => {
  await using service = await startMockOrderService();
  await using orders = createOrdersClient({
    baseUrl: service.url,
    apiKey: service.key,
    retry: { maxAttempts: 1 },
  });
  service.faults.next(fault);
  const result = await orders.safeUpdateOrder(service.token, { cart: {} });
  expect(toCustomerResponse(result)).toMatchObject({ status: code, body: { message, issues: [] } });
});

test('an invalid update is a 422 with its issues, an unreachable service a 503 without Retry-After', async () => {
  await using orders = createOrdersClient({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'a-key',
    retry: { maxAttempts: 1 },
  });
  const invalid = await orders.safeUpdateOrder('token', { cart: { items: [{ quantity: 0.5 }] } });
  expect(toCustomerResponse(invalid)).toMatchObject({
    status: 422,
    body: { issues: [{ path: 'cart.items[0].quantity' }] },
  });
  const unreachable = await orders.safeUpdateOrder('token', { cart: {} });
  expect(toCustomerResponse(unreachable)).toEqual({
    status: 503,
    headers: {},
    body: { message: later, issues: [] },
  });
});
