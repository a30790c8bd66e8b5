import { OrderUpdate } from '@orders/schema';
import { expect, test } from 'vitest';
import { nameSchema, noNames } from './own-names.ts';

function passes(names: object, body: object): boolean | string {
  const named = nameSchema({ ...noNames, ...names });
  return 'schema' in named ? named.schema.safeParse(body).success : named.mistake;
}

test('without names, the schema is the plain one', () => {
  expect(nameSchema({ ...noNames, totalAmount: ' ' })).toEqual({ schema: OrderUpdate });
});

test('a name makes its field a rule', () => {
  const wrong = { cart: {}, total: 1.5, vat: 'x', note: 1, qr: 1 };
  for (const [key, name] of [
    ['totalAmount', 'total'],
    ['vatAmount', 'vat'],
    ['firstMetadata', 'note'],
    ['secondMetadata', 'note'],
    ['qrSessionId', ' qr '],
  ] as const) {
    expect(passes({ [key]: name }, wrong)).toBe(false);
    expect(passes({ [key]: name }, { cart: {} })).toBe(true);
  }
});

test('currencies are read whatever stands between them', () => {
  expect(passes({ currencies: 'nok, EUR;sek' }, { cart: {}, purchase_currency: 'SEK' })).toBe(true);
  expect(passes({ currencies: 'nok, EUR;sek' }, { cart: {}, purchase_currency: 'USD' })).toBe(false);
});

test('a name that cannot be one is told in words', () => {
  expect(passes({ totalAmount: 'order_id' }, {})).toMatch(/^The field order_id is defined already/);
  expect(passes({ totalAmount: 'a', vatAmount: 'a' }, {})).toMatch(/^The field a is defined already/);
});
