import {
  type ClassifyResponse,
  createOrdersClient,
  treat503AsRejected,
  type UpdateOrderResult,
} from '@orders/client';
import { type Fault, startMockOrderService } from '@orders/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Settlement, type SettleOptions, settleResult, settleUnknown } from './settlement.ts';

const options: SettleOptions = { onRejected: 'continue', maxRetryDelayMs: 60_000, random: () => 1 };

const busy = { type: 'status', status: 503, headers: { 'retry-after': '2' } } as const;

async function resultOf(
  fault: Fault | undefined,
  {
    update = { cart: {} },
    classifyResponse,
  }: { readonly update?: object; readonly classifyResponse?: ClassifyResponse } = {},
): Promise<UpdateOrderResult> {
  await using service = await startMockOrderService();
  await using client = createOrdersClient({
    baseUrl: service.url,
    apiKey: service.key,
    retry: { maxAttempts: 1 },
    ...(classifyResponse ? { classifyResponse } : {}),
  });
  if (fault) service.faults.next(fault);
  return client.safeUpdateOrder(service.token, update as { cart: object });
}

const tooMany = (retryAfter?: string): Fault => ({
  type: 'status',
  status: 429,
  ...(retryAfter ? { headers: { 'retry-after': retryAfter } } : {}),
});

test.for<[string, Fault, Partial<Settlement>]>([
  ['a success that cannot be read', { type: 'invalid_json' }, { state: 'applied', code: 'invalid_response' }],
  ['a 400', { type: 'status', status: 400 }, { state: 'rejected', open: false, signal: 'success' }],
  ['a 401', { type: 'status', status: 401 }, { state: 'rejected', signal: 'refused' }],
  ['a 403', { type: 'status', status: 403 }, { state: 'rejected', signal: 'refused' }],
  ['a 413 with Retry-After', { ...busy, status: 413 }, { state: 'rejected', status: 413 }],
  ['a 429 with Retry-After', tooMany('7'), { state: 'queued', delayMs: 0, pauseMs: 7_000, failures: 3 }],
  ['a 429 without', tooMany(), { state: 'queued', pauseMs: 1_000, signal: 'success' }],
  ['a 429 that asks for thirty days', tooMany('2592000'), { state: 'queued', pauseMs: 3_600_000 }],
  ['a 429 with a Retry-After of 0', tooMany('0'), { state: 'queued', pauseMs: 1_000 }],
])('settles %s', async ([, fault, expected]) => {
  expect(settleResult(await resultOf(fault), 3, options)).toMatchObject(expected);
});

test('waits for a 503 that the client takes for a refusal, and pauses no other order', async () => {
  const result = await resultOf(busy, { classifyResponse: treat503AsRejected });
  const settled = settleResult(result, 3, options);
  expect(settled).toMatchObject({
    state: 'queued',
    status: 503,
    delayMs: 2_000,
    failures: 3,
    signal: 'none',
  });
  expect(settled).not.toHaveProperty('pauseMs');
});

test('rejects what the schema refuses now, with its issues', async () => {
  const settled = settleResult(await resultOf(undefined, { update: { cart: [] } }), 0, options);
  expect(settled).toMatchObject({ state: 'rejected', code: 'validation_error', issues: [{ path: 'cart' }] });
});

test('sends again, later each time, what never left', async () => {
  await using client = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'key' });
  const refused = await client.safeUpdateOrder('ord_1', { cart: {} }, { retry: { maxAttempts: 1 } });
  fc.assert(
    fc.property(
      fc.nat(100),
      fc.nat(100_000),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, maxRetryDelayMs, part) => {
        const settled = settleResult(refused, failures, { ...options, maxRetryDelayMs, random: () => part });
        expect(settled).toMatchObject({
          state: 'queued',
          open: true,
          failures: failures + 1,
          signal: 'failure',
        });
        expect(settled?.delayMs).toBeGreaterThanOrEqual(0);
        expect(settled?.delayMs).toBeLessThanOrEqual(Math.min(maxRetryDelayMs, 500 * 2 ** failures));
      },
    ),
  );
});

test('tries later what a hook of the client ended, without a word about the service', async () => {
  await using service = await startMockOrderService();
  await using client = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const beforeSend = () => {
    throw new Error('of the caller');
  };
  const result = await client.safeUpdateOrder(service.token, { cart: {} }, { beforeSend });
  expect(settleResult(result, 3, options)).toMatchObject({
    state: 'queued',
    open: true,
    code: 'aborted',
    message: expect.stringContaining('beforeSend threw'),
    delayMs: 4_000,
    failures: 4,
    signal: 'none',
  });
});

test('sends an update of unknown outcome again after a delay', () => {
  const unknown = { code: 'timeout' };
  const resent = settleUnknown('resend', unknown, { ...options, failures: 0, signal: 'failure' });
  // What is sent again at once, again and again, would be an attack.
  expect(resent).toMatchObject({ state: 'queued', delayMs: 500, failures: 1 });
  expect(() => settleUnknown('park' as never, {}, { ...options, failures: 0, signal: 'none' })).toThrow(
    TypeError,
  );
});
