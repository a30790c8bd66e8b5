import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { defineOrderUpdate, OrderUpdate } from './index.ts';
import { toJsonSchema } from './json-schema.ts';

test('writes each rule as keywords of JSON Schema', () => {
  const { properties } = toJsonSchema(
    defineOrderUpdate({ totalAmount: 'total', metadata: ['note'], currencies: ['EUR', 'EUR'] }),
  );
  expect(properties).toMatchObject({
    order_id: { type: 'string', maxLength: 255 },
    purchase_currency: { type: 'string', enum: ['EUR'] },
    total: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
    note: { type: 'string', maxLength: 255 },
    cart: { properties: { items: { items: { properties: { quantity: { type: 'integer' } } } } } },
  });
});

const refused = [
  ...['billing_address', 'user_return_url_on_success', 'user_return_url_on_fail'],
  ...['terms_url', 'webhook_url', 'items'],
];

test('refuses the names of other places without making them properties', () => {
  const { properties, propertyNames } = toJsonSchema(OrderUpdate);
  expect(Object.keys(properties ?? {}).filter((name) => refused.includes(name))).toEqual([]);
  expect(JSON.stringify(properties)).not.toContain('"not"');
  expect(propertyNames).toEqual({ not: { enum: refused } });
});

test('requires the cart alone, and leaves every object open', () => {
  const text = JSON.stringify(toJsonSchema(OrderUpdate));
  expect(text.match(/"required":\[[^\]]*\]/g)).toEqual(['"required":["cart"]']);
  expect(text).not.toContain('"additionalProperties":false');
});

test('accepts a declared field that would be misplaced', () => {
  const Update = defineOrderUpdate({ fields: { order: { items: z.optional(z.string()) } } });
  const { properties, propertyNames } = toJsonSchema(Update);
  expect(properties).toMatchObject({ items: { type: 'string' } });
  expect(propertyNames).toEqual({ not: { enum: refused.filter((name) => name !== 'items') } });
});

test('describes what goes into a field of your own', () => {
  const Update = defineOrderUpdate({
    fields: {
      order: { note: z._default(z.string(), ''), size: z.pipe(z.string(), z.transform(Number)) },
    },
  });
  const { properties, required } = toJsonSchema(Update);
  expect(properties).toMatchObject({ note: { type: 'string' }, size: { type: 'string' } });
  expect(required).toEqual(['cart', 'size']);
});

test('throws when JSON Schema cannot express a field of your own', () => {
  expect(() => toJsonSchema(defineOrderUpdate({ fields: { order: { at: z.date() } } }))).toThrow(/Date/);
});
