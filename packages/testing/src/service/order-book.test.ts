import { expect, test } from 'vitest';
import { send } from '../../test/send.ts';
import { createOrderBook } from './order-book.ts';
import { startOrderService } from './order-service.ts';

test('makes as many orders as asked, each with a token of its own', () => {
  const { orders } = createOrderBook(20);
  expect(new Set(orders.map(({ token }) => token)).size).toBe(20);
});

test('begins with the orders given, in their order', () => {
  const { orders } = createOrderBook(['b', { token: 'a', data: { order_id: 'x' } }]);
  expect(orders).toEqual([
    { token: 'b', data: {}, revision: 0 },
    { token: 'a', data: { order_id: 'x' }, revision: 0 },
  ]);
});

test('leaves the data it was given alone', () => {
  const data = { cart: { items: [] } };
  createOrderBook([{ token: 'a', data }]);
  expect(Object.isFrozen(data)).toBe(false);
  expect(Object.isFrozen(data.cart.items)).toBe(false);
});

test('keeps what it holds and what was applied from being changed afterwards', async () => {
  await using service = await startOrderService();
  const { token } = service;
  await send(service, { body: { cart: { items: [{ sku: 'one' }] } } });
  const [entry] = service.ledger;
  expect(() => Object.assign(entry ?? {}, { token: 'other' })).toThrow(TypeError);
  expect(() => entry?.body.cart.items?.pop()).toThrow(TypeError);
  expect(() => service.order(token)?.data.cart?.items?.pop()).toThrow(TypeError);
  expect(service.order(token)?.data).toEqual({ cart: { items: [{ sku: 'one' }] } });
});

test('makes more orders while it runs, and refuses a token that there is', () => {
  const book = createOrderBook(['a']);
  expect(book.add().token).toMatch(/^ord_[0-9a-f]{24}$/);
  expect(book.add({ token: 'b', data: { order_id: 'x' } })).toEqual({
    token: 'b',
    data: { order_id: 'x' },
    revision: 0,
  });
  expect(book.orders).toHaveLength(3);
  expect(() => book.add('b')).toThrow('orders: "b" is given twice.');
});

test.each([[0], [-1], [1.5], [Number.NaN], [[]], [['']], [['..']], [['a\u0000']], [['a', 'a']]])(
  'refuses to begin with %j orders',
  (seed) => {
    expect(() => createOrderBook(seed)).toThrow(TypeError);
    expect(() => createOrderBook(seed)).toThrow(/^orders: /);
  },
);
