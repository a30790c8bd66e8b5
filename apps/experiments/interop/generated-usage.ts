/** What a user of the generated client writes. It is compiled and never run. */
import type { OrderUpdate } from '@orders/schema';
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi.ts';

type Generated = components['schemas']['OrderUpdate'];

const client = createClient<paths>({ baseUrl: 'https://orders.example' });
const params = { path: { order_token: 'ord_1' } };

export async function callEverything(): Promise<readonly unknown[]> {
  const { data: echo } = await client.GET('/v2/echo_with_private_key');
  const body = {
    order_id: 'A-1001',
    purchase_currency: 'NOK',
    cart: { items: [{ type: 'physical', sku: 'MUG', quantity: 2, unit_price: 14_900, colour: 'blue' }] },
    require_shipping: true,
    shipping_address: { city: 'Oslo' },
    hooks: { terms_url: 'https://shop.example/terms' },
    merchant_field: { any: 'thing' },
  } satisfies Generated;
  const { data, error } = await client.PATCH('/v2/orders/{order_token}', { params, body });
  return [echo, data, error];
}

/** Our client accepts every update that the document allows. */
export const toOrderUpdate = (update: Generated): OrderUpdate => update;

export const mistakes: readonly Generated[] = [
  // @ts-expect-error A quantity is a number.
  { cart: { items: [{ quantity: '2' }] } },
  // @ts-expect-error A cart is required.
  { order_id: 'A-1001' },
  // @ts-expect-error The currency is not listed.
  { cart: {}, purchase_currency: 'nok' },
  // @ts-expect-error Optional is not nullable.
  { cart: {}, order_id: null },
];

export async function callWrongly(): Promise<void> {
  // @ts-expect-error The path does not exist.
  await client.GET('/v2/orders');
  // @ts-expect-error A token is required.
  await client.PATCH('/v2/orders/{order_token}', { body: { cart: {} } });
  // @ts-expect-error A body is required.
  await client.PATCH('/v2/orders/{order_token}', { params });
}
