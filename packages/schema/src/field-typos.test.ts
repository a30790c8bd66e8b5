import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { problemsOf } from '../test/problems.ts';
import { Cart, CartItem, defineOrderUpdate, Hooks, OrderUpdate } from './index.ts';

test('looks for misspellings in the parts that are checked by themselves', () => {
  expect(problemsOf(CartItem, { unitPrice: 1 })).toEqual([
    ['unitPrice', 'misspelled', 'Did you mean unit_price?'],
  ]);
  expect(problemsOf(Cart, { Items: [] })).toEqual([['Items', 'misspelled', 'Did you mean items?']]);
  expect(problemsOf(Hooks, { termsUrl: '' })).toEqual([
    ['termsUrl', 'misspelled', 'Did you mean terms_url?'],
  ]);
});

test('takes a field for misplaced only at the top of an order', () => {
  const stray = { items: 1, webhook_url: 2, billing_address: 3 };
  expect(problemsOf(CartItem, stray)).toEqual([]);
  expect(problemsOf(Hooks, { items: 1, billing_address: 3 })).toEqual([]);
  expect(problemsOf(OrderUpdate, { cart: {}, ...stray }).map(([, code]) => code)).toEqual([
    'misplaced',
    'misplaced',
    'not_supported',
  ]);
});

test('a declared field is neither misspelled nor misplaced', () => {
  const any = z.optional(z.any());
  const Update = defineOrderUpdate({
    fields: {
      order: { orderId: any, shipping_adress: any, billing_address: any, items: any, webhook_url: any },
      cart: { Items: any },
      item: { unitPrice: any },
      hooks: { webhookUrl: any },
    },
  });
  const body = {
    ...{ orderId: 1, shipping_adress: 2, billing_address: 3, items: 4, webhook_url: 5 },
    cart: { Items: 6, items: [{ unitPrice: 7 }] },
    hooks: { webhookUrl: 8 },
  };
  expect(Update.parse(body)).toStrictEqual(body);
});

test('declared fields of the cart and the hooks add nothing to the closed list of misplaced ones', () => {
  const Update = defineOrderUpdate({
    fields: {
      cart: { coupon: z.optional(z.string()) },
      hooks: { cancel_url: z.optional(z.string()) },
    },
  });
  expect(Update.parse({ cart: {}, coupon: 1, cancel_url: 2 })).toStrictEqual({
    cart: {},
    coupon: 1,
    cancel_url: 2,
  });
});

test('looks inside objects and lists of your own', () => {
  const Update = defineOrderUpdate({
    fields: {
      order: { parcels: z.optional(z.array(z.object({ tracking_code: z.optional(z.string()) }))) },
    },
  });
  expect(problemsOf(Update, { cart: {}, parcels: [{}, { trackingCode: 'a' }] })).toEqual([
    ['parcels[1].trackingCode', 'misspelled', 'Did you mean tracking_code?'],
  ]);
});
