import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOrderModel } from './order-model.ts';
import { isMisspelling, passesAsUnknown, unknownNames } from './unknown-names.ts';

test.each([
  ['orderId', 'order_id'],
  ['ORDER_ID', 'order_id'],
  ['Items', 'items'],
  ['shipping_adress', 'shipping_address'],
  ['shippings_address', 'shipping_address'],
  ['user_identifyer', 'user_identifier'],
  ['qauntity', 'quantity'],
  ['quantit', 'quantity'],
  ['xquantity', 'quantity'],
  ['order-id', 'order_id'],
])('takes %s for %s', (name, known) => {
  expect(isMisspelling(name, known)).toBe(true);
});

test.each([
  ['cards', 'cart'],
  ['hook', 'hooks'],
  ['typ', 'type'],
  ['shiping_adress', 'shipping_address'],
  ['merchant_order_id', 'order_id'],
  ['ytquanti', 'quantity'],
  ['', 'quantity'],
])('does not take %s for %s', (name, known) => {
  expect(isMisspelling(name, known)).toBe(false);
});

test('lets no name pass that the document has, means or places elsewhere', () => {
  const declared = ['cart', 'order_id', 'hooks'];
  for (const name of ['cart', 'orderId', '__proto__', 'items', 'webhook_url', 'billing_address']) {
    expect(passesAsUnknown(name, 'order', declared)).toBe(false);
  }
  for (const name of ['note', '', 'constructor', 'vat_amount']) {
    expect(passesAsUnknown(name, 'order', declared)).toBe(true);
  }
  expect(passesAsUnknown('billing_address', 'hooks', ['webhook_url'])).toBe(true);
});

test('yields names in any script, near ones of short fields, and none that is declared', () => {
  const model = createOrderModel({ metadata: ['note', 'fulfill'] }, {});
  const names = fc.sample(unknownNames(model, 'order'), { numRuns: 1_000, seed: 1 });
  expect(names).toEqual(
    expect.arrayContaining(['merchant_order_id', 'cards', 'hook', '', 'constructor', '🧡']),
  );
  expect(names.filter((name) => ['note', 'fulfill', 'items', '__proto__'].includes(name))).toEqual([]);
});
