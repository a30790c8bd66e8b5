import { expect, test } from 'vitest';
import { checkLedger } from './check-ledger.ts';

const workload = { updates: 6, orders: 2 };

test('updates that came once and in order are without a fault, however orders are mixed', () => {
  expect(checkLedger([1, 0, 2, 4, 3, 5], workload)).toEqual({ lost: 0, repeated: 0, outOfOrder: 0 });
});

test('an update that did not come is lost', () => {
  expect(checkLedger([0, 1, 2, 3, 5], workload)).toEqual({ lost: 1, repeated: 0, outOfOrder: 0 });
});

test('an update that came again is repeated, and not out of order', () => {
  expect(checkLedger([0, 1, 2, 0, 3, 4, 5], workload)).toEqual({ lost: 0, repeated: 1, outOfOrder: 0 });
});

test('an update that came after a later one of its order is out of order', () => {
  expect(checkLedger([0, 4, 2, 1, 3, 5], workload)).toEqual({ lost: 0, repeated: 0, outOfOrder: 1 });
});
