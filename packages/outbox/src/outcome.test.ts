import {
  type ClassifyResponse,
  createOrdersClient,
  treat503AsRejected,
  type UpdateOrderResult,
} from '@orders/client';
import { type Fault, startMockOrderService } from '@orders/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Settlement, type SettleOptions, settleResult, settleUnknown } from './outcome.ts';

const options: SettleOptions = { onRejected: 'continue', maxRetryDelayMs: 60_000, random: () => 1 };

const busy = { type: 'status', status: 503, headers: { 'retry-after': '2' } } as const;
const page = { type: 'status', status: 404, headers: { 'content-type': 'text/html' } } as const;

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
    timeouts: { connect: 2_000, attempt: 300, total: 2_000 },
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

test.for<[string, Fault | undefined, Partial<Settlement> | undefined]>([
  ['a success', undefined, { state: 'applied', open: false, status: 200, signal: 'success' }],
  ['a success that cannot be read', { type: 'invalid_json' }, { state: 'applied', code: 'invalid_response' }],
  ['a 400', { type: 'status', status: 400 }, { state: 'rejected', open: false, signal: 'success' }],
  ['a 401', { type: 'status', status: 401 }, { state: 'rejected', signal: 'refused' }],
  ['a 403', { type: 'status', status: 403 }, { state: 'rejected', signal: 'refused' }],
  ['a 413 with Retry-After', { ...busy, status: 413 }, { state: 'rejected', status: 413 }],
  ['a 429 with Retry-After', tooMany('7'), { state: 'queued', delayMs: 0, pauseMs: 7_000, failures: 3 }],
  ['a 429 without', tooMany(), { state: 'queued', pauseMs: 1_000, signal: 'success' }],
  ['a 429 that asks for thirty years', tooMany('999999999'), { state: 'queued', pauseMs: 3_600_000 }],
  ['a 429 with a Retry-After of 0', tooMany('0'), { state: 'queued', pauseMs: 1_000 }],
  ['a 503 with Retry-After', busy, undefined],
  ['a 503 without', { type: 'status', status: 503 }, undefined],
  ['a 404 page of HTML', page, undefined],
  ['a 500', { type: 'status', status: 500 }, undefined],
  ['a 408', { type: 'status', status: 408 }, undefined],
  ['a redirect', { type: 'redirect' }, undefined],
  ['a reset before it was applied', { type: 'reset_before_applying' }, undefined],
  ['a reset after it was applied', { type: 'reset_after_applying' }, undefined],
  ['a service that stalls', { type: 'stalled_headers' }, undefined],
  ['a page of a proxy', { type: 'wrong_media_type' }, undefined],
])('settles %s', async ([, fault, expected]) => {
  const settled = settleResult(await resultOf(fault), 3, options);
  if (expected) expect(settled).toMatchObject(expected);
  else expect(settled).toBeUndefined();
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

test('counts no failure where the outbox ended the call before a byte left', async () => {
  await using service = await startMockOrderService();
  await using client = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const beforeSend = () => {
    throw new Error('too old');
  };
  const result = await client.safeUpdateOrder(service.token, { cart: {} }, { beforeSend });
  expect(settleResult(result, 3, options)).toEqual({
    state: 'queued',
    open: true,
    delayMs: 0,
    failures: 3,
    signal: 'none',
  });
});

test('holds an order for what needs review, and for a rejected update as chosen', async () => {
  const refused = await resultOf({ type: 'status', status: 422 });
  const held = settleResult(refused, 0, { ...options, onRejected: 'hold' });
  expect(held).toMatchObject({ state: 'rejected', open: true });
  const states = {
    review: 'needs_review',
    resend: 'queued',
    applied: 'applied',
    discard: 'discarded',
  } as const;
  fc.assert(
    fc.property(fc.constantFrom('review', 'resend', 'applied', 'discard'), fc.nat(50), (choice, failures) => {
      const settled = settleUnknown(choice, { code: 'timeout' }, { ...options, failures, signal: 'failure' });
      expect(settled.state).toBe(states[choice]);
      expect(settled.open).toBe(choice === 'review' || choice === 'resend');
      // What is sent again at once, again and again, would be an attack.
      expect(settled.delayMs > 0).toBe(choice === 'resend');
    }),
  );
  expect(() => settleUnknown('park' as never, {}, { ...options, failures: 0, signal: 'none' })).toThrow(
    TypeError,
  );
});
