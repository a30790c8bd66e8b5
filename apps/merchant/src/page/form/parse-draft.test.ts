import { documentedExample } from '@orders/testing';
import { orderUpdates } from '@orders/testing/arbitraries';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldNames } from '../../contract/desk-update.ts';
import { parseDraft } from './parse-draft.ts';
import { toForm } from './to-form.ts';

test('every form is a draft that reads back as it was', () => {
  fc.assert(
    fc.property(orderUpdates({ definition: fieldNames }), (update) => {
      const form = toForm(update);
      expect(parseDraft(JSON.parse(JSON.stringify(form)))).toEqual(form);
    }),
  );
});

test('is never stumbled over by what was kept', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (kept) => {
      expect(parseDraft(kept)).toBeUndefined();
    }),
  );
});

const form = toForm(documentedExample());

test.each<[string, unknown]>([
  ['an update', documentedExample()],
  ['a form that lacks a field', { ...form, scanned: undefined }],
  ['a number where text belongs', { ...form, total_amount: 3 }],
  ['text that is too long', { ...form, order_id: 'x'.repeat(2 ** 20 + 1) }],
  ['something carried that is no JSON', { ...form, carried: '{' }],
  ['a choice that there is not', { ...form, require_shipping: 'perhaps' }],
  [
    'a cart of lines without end',
    { ...form, cart: { ...form.cart, items: Array(20_001).fill(form.cart.items[0]) } },
  ],
])('passes over %s', (_name, kept) => {
  expect(parseDraft(kept)).toBeUndefined();
});
