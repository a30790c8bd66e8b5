import { expect, test } from 'vitest';
import { createOrderBook, mergeUpdate } from './order-book.ts';

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

test('keeps what it holds and what was applied from being changed afterwards', () => {
  const book = createOrderBook(['a']);
  const [order] = book.orders;
  if (order === undefined) throw new Error('There is no order.');
  const body = { cart: { items: [{ sku: 'one' }] } };
  book.commit(mergeUpdate(order, body), { requestId: 'req_1', at: 0, body });
  const applied = book.ledger[0]?.body.cart.items;
  expect(() => applied?.pop()).toThrow(TypeError);
  expect(book.find('a')?.data).toEqual({ cart: { items: [{ sku: 'one' }] } });
});

test.each([[0], [-1], [1.5], [Number.NaN], [[]], [['']], [['..']], [['a\u0000']], [['a', 'a']]])(
  'refuses to begin with %j orders',
  (seed) => {
    expect(() => createOrderBook(seed)).toThrow(TypeError);
    expect(() => createOrderBook(seed)).toThrow(/^orders: /);
  },
);
