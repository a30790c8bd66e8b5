import {
  type ClassifyResponse,
  createOrdersClient,
  treat503AsRejected,
  type UpdateOrderResult,
} from '@orders/client';
import { type Fault, startMockOrderService } from '@orders/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JudgeOptions, judgeResult, judgeUnknown } from './judge-result.ts';
import type { Verdict } from './verdict.ts';

const options: JudgeOptions = { onRejected: 'continue', maxRetryDelayMs: 60_000, random: () => 1 };

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

test.for<[string, Fault | undefined, Partial<Verdict> | 'unknown']>([
  ['a success', undefined, { state: 'applied', hold: false, status: 200 }],
  ['a success that cannot be read', { type: 'invalid_json' }, { state: 'applied', code: 'invalid_response' }],
  ['a 400', { type: 'status', status: 400 }, { state: 'rejected', hold: false, status: 400 }],
  [
    'a 413 with Retry-After, which the client does not take for an invitation',
    { type: 'status', status: 413, headers: { 'retry-after': '1' } },
    { state: 'rejected', status: 413 },
  ],
  [
    'a 429 with Retry-After',
    { type: 'status', status: 429, headers: { 'retry-after': '7' } },
    { state: 'queued', delayMs: 7_000, pauseAllMs: 7_000, failures: 3 },
  ],
  ['a 429 without', { type: 'status', status: 429 }, { state: 'queued', delayMs: 1_000, pauseAllMs: 1_000 }],
  [
    'a 429 that asks for thirty years',
    { type: 'status', status: 429, headers: { 'retry-after': '999999999' } },
    { state: 'queued', delayMs: 86_400_000, pauseAllMs: 86_400_000 },
  ],
  ['a 503 with Retry-After', busy, 'unknown'],
  ['a 503 without', { type: 'status', status: 503 }, 'unknown'],
  ['a 404 page of HTML', page, 'unknown'],
  ['a 500', { type: 'status', status: 500 }, 'unknown'],
  ['a 408', { type: 'status', status: 408 }, 'unknown'],
  ['a redirect', { type: 'redirect' }, 'unknown'],
  ['a reset before it was applied', { type: 'reset_before_applying' }, 'unknown'],
  ['a reset after it was applied', { type: 'reset_after_applying' }, 'unknown'],
  ['a service that falls silent', { type: 'stalled_headers' }, 'unknown'],
  ['a page of a proxy', { type: 'wrong_media_type' }, 'unknown'],
])('judges %s', async ([, fault, verdict]) => {
  const judged = judgeResult(await resultOf(fault), 3, options);
  if (verdict === 'unknown' || judged === 'unknown') expect(judged).toBe(verdict);
  else expect(judged).toMatchObject(verdict);
  if (judged !== 'unknown' && judged.pauseAllMs !== undefined) expect(judged.status).toBe(429);
});

test('waits for a 503 that the client takes for a refusal, and pauses no other order', async () => {
  const result = await resultOf(busy, { classifyResponse: treat503AsRejected });
  const judged = judgeResult(result, 3, options);
  expect(judged).toMatchObject({ state: 'queued', status: 503, delayMs: 2_000, failures: 3 });
  expect(judged).not.toHaveProperty('pauseAllMs');
});

test('rejects what the schema refuses now, with its issues', async () => {
  const judged = judgeResult(await resultOf(undefined, { update: { cart: [] } }), 0, options);
  expect(judged).toMatchObject({ state: 'rejected', code: 'validation_error', issues: [{ path: 'cart' }] });
});

test('sends again, later each time, what never left', async () => {
  await using client = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'key' });
  const refused = await client.safeUpdateOrder('ord_1', { cart: {} }, { retry: { maxAttempts: 1 } });
  fc.assert(
    fc.property(
      fc.nat(100),
      fc.nat(100_000),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, most, part) => {
        const judged = judgeResult(refused, failures, {
          ...options,
          maxRetryDelayMs: most,
          random: () => part,
        });
        expect(judged).toMatchObject({ state: 'queued', hold: false, failures: failures + 1 });
        if (judged === 'unknown') throw new Error('it is known');
        expect(judged.delayMs).toBeGreaterThanOrEqual(0);
        expect(judged.delayMs).toBeLessThanOrEqual(Math.min(most, 500 * 2 ** failures));
      },
    ),
  );
});

test('holds a lane for a parked update alone, and for a rejected one as chosen', async () => {
  const refused = await resultOf({ type: 'status', status: 422 });
  expect(judgeResult(refused, 0, { ...options, onRejected: 'hold' })).toMatchObject({
    state: 'rejected',
    hold: true,
  });
  fc.assert(
    fc.property(fc.constantFrom('park', 'resend', 'applied', 'discard'), fc.nat(50), (choice, failures) => {
      const { state, hold, delayMs } = judgeUnknown(choice, { code: 'timeout' }, { ...options, failures });
      expect(state).toBe(
        { park: 'parked', resend: 'queued', applied: 'applied', discard: 'discarded' }[choice],
      );
      expect(hold).toBe(choice === 'park');
      // What is sent again at once, again and again, would be an attack.
      expect(delayMs > 0).toBe(choice === 'resend');
    }),
  );
});

test('refuses a choice that is none', () => {
  const nothing = undefined as unknown as 'park';
  expect(() => judgeUnknown(nothing, {}, { ...options, failures: 0 })).toThrow(TypeError);
});
