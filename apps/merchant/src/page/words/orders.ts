import { plural } from './plural.ts';

/** What the list of orders and the frame of one order say. */
export const orderWords = {
  title: 'Orders',
  unnamed: (tail: string) => `Order …${tail}`,
  token: 'Order token',
  copyToken: 'Copy order token',
  lines: (count: number) => plural(count, 'line', 'lines'),
  edited: 'Edited',
  decide: 'Decide',
  loading: 'Loading orders',
  loadingOne: 'Loading the order',
  filter: {
    label: 'Find an order',
    placeholder: 'Number, token, currency',
    none: (text: string) => `No order has “${text}” in its number, token or currency.`,
    clear: 'Show every order',
  },
  failed: {
    title: 'The orders could not be loaded',
    text: 'The desk’s own server did not answer. Check that it is running, then try again.',
  },
  failedOne: {
    title: 'The order could not be loaded',
    text: 'The desk’s own server did not answer. Check that it is running, then try again.',
  },
  none: {
    title: 'No orders yet',
    text: 'This desk knows no orders. Start it with --order and the token of an order to see it here.',
  },
  unknown: {
    title: 'This desk does not know the order',
    text: 'No order has the token in this address. It may belong to another desk.',
    back: 'To the orders',
  },
} as const;
