import { expect, test } from 'vitest';
import type { OrderSummary } from '../../contract/order-view.ts';
import { filterOrders } from './filter-orders.ts';

const order = (token: string, orderId: string | null, currency: string | null): OrderSummary => ({
  token,
  orderId,
  currency,
  lines: 0,
  hasDraft: false,
  lastUpdate: null,
  undecided: 0,
});
const orders = [order('ord_Abc', 'Shop-1', 'NOK'), order('ord_xyz', null, null), order('shop', 'B', 'EUR')];

test.each([
  ['', ['ord_Abc', 'ord_xyz', 'shop']],
  ['  ', ['ord_Abc', 'ord_xyz', 'shop']],
  ['SHOP', ['ord_Abc', 'shop']],
  [' abc ', ['ord_Abc']],
  ['eur', ['shop']],
  ['null', []],
])('finds by %j in number, token and currency', (text, tokens) => {
  expect(filterOrders(orders, text).map(({ token }) => token)).toEqual(tokens);
});
