import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { currencyCodes, OrderUpdate } from './index.ts';

test('the codes are those of the ISO 4217 list that zod keeps', () => {
  const kept = z.core.regexes.currencyCode.source.match(/[A-Z]{3}/g);
  expect(kept?.length).toBeGreaterThan(150);
  expect(currencyCodes).toEqual(kept);
});

test('every code passes, and no other three letters', () => {
  for (const purchase_currency of currencyCodes) {
    expect(OrderUpdate.safeParse({ cart: {}, purchase_currency }).success).toBe(true);
  }
  for (const purchase_currency of ['ZZZ', 'HRK', 'eur', 'EU', 'EURO', '', 'toString', '__proto__']) {
    expect(OrderUpdate.safeParse({ cart: {}, purchase_currency }).success).toBe(false);
  }
});
