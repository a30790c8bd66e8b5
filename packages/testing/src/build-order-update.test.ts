import { OrderUpdate } from '@orders/schema';
import { expect, expectTypeOf, test } from 'vitest';
import { buildOrderUpdate } from './build-order-update.ts';

test('builds a valid update', () => {
  const update = buildOrderUpdate();
  expect(OrderUpdate.safeParse(update)).toEqual({ success: true, data: update });
});

test('lays the given fields over it', () => {
  const cart = { items: [{ unit_price: 5 }] };
  expect(buildOrderUpdate({ order_id: 'a', cart })).toEqual({ order_id: 'a', cart });
});

test('lets fields through that the API reference does not name, and knows their types', () => {
  const update = buildOrderUpdate({ total: 10 });
  expect(update.total).toBe(10);
  expectTypeOf(update).toExtend<OrderUpdate & { total: number }>();
});

test('takes a whole update', () => {
  expect(buildOrderUpdate(buildOrderUpdate({ order_id: 'a' })).order_id).toBe('a');
});

test('makes fresh objects each time', () => {
  buildOrderUpdate().cart.items?.pop();
  expect(buildOrderUpdate().cart.items).toHaveLength(1);
});

test('does not compile with a documented field of another type', () => {
  // @ts-expect-error An order_id is a string.
  buildOrderUpdate({ order_id: 1 });
  // @ts-expect-error A price is a number.
  buildOrderUpdate({ cart: { items: [{ unit_price: '1' }] } });
});
