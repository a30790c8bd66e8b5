import { expect, test } from 'vitest';
import { isDelivered, retryDelay } from './deliver-webhook.ts';

test('the wait doubles with each attempt, and never beyond what a timer can hold', () => {
  expect([1, 2, 3, 4].map((made) => retryDelay(250, made))).toEqual([250, 500, 1_000, 2_000]);
  expect(retryDelay(0, 99)).toBe(0);
  expect(retryDelay(3_600_000, 99)).toBe(2_147_483_647);
});

test('any 2xx hands an event over, and nothing else does', () => {
  expect([200, 204, 299].every((status) => isDelivered({ status }))).toBe(true);
  expect([{}, { status: 199 }, { status: 300 }, { status: 503 }].some(isDelivered)).toBe(false);
});
