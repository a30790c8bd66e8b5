import {
  documentedExample,
  type MockOrderService,
  type MockOrderServiceOptions,
  startMockOrderService,
} from '@orders/testing';
import { test as base, expect } from 'vitest';

/** Valid in HTTP Basic, and different in every encoding but that of RFC 7617. */
export const apiKey = 'interop+/=%40#?é';
export const otherKey = 'of-another-type';
/** A path must encode it. */
export const specialToken = 'a/b?c#d%2f';
/** Its bytes, characters and UTF-16 units differ in number. */
export const update = { ...documentedExample(), order_id: 'Ærlig–🧡' };
/** More than the service accepts by default. */
export const tooLarge = { cart: {}, note: 'x'.repeat(2_097_152) };

export function startService(options: MockOrderServiceOptions = {}): Promise<MockOrderService> {
  const keys = [{ key: apiKey }, { key: otherKey, type: 'AnotherApiKey' }];
  return startMockOrderService({ keys, orders: ['ord_1', specialToken], ...options });
}

/** Starts a mock order service for each test that takes one. */
export const test = base.extend<{ readonly service: MockOrderService }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern.
  async service({}, use) {
    await using service = await startService();
    await use(service);
  },
});

/** The last request carried this update byte for byte, and it is all that was applied. */
export function expectApplied(service: MockOrderService, update: { token?: string; body?: object }): void {
  expect(service.journal.at(-1)?.body.toString('utf8')).toBe(JSON.stringify(update.body));
  expect(service.ledger).toMatchObject([{ token: update.token }]);
  expect(service.ledger[0]?.body).toEqual(update.body);
}
