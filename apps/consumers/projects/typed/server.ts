/** What a back end in TypeScript writes; a line that must not compile says so. */
import assert from 'node:assert/strict';
import { authorize, basic, bearer, type Credentials } from '@orders/auth';
import {
  createOrdersClient,
  isOrdersError,
  type OrdersClient,
  type OrdersClientOptions,
  type Outcome,
  type UpdateOrderResult,
} from '@orders/client';
import { Agent } from '@orders/client/undici';
import { defineOrderUpdate, type Explanation, explain, OrderUpdate } from '@orders/schema';
import { type MockOrderService, startMockOrderService } from '@orders/testing';

/** Its type has to be written into the declarations of whoever exports it. */
export const Update = defineOrderUpdate({ totalAmount: 'total', metadata: ['meta_1', 'meta_2'] });

export interface Shop {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly timeoutMs?: number;
}

export function optionsOf({ baseUrl, credentials, timeoutMs }: Shop): OrdersClientOptions {
  return {
    baseUrl,
    credentials,
    dispatcher: new Agent(),
    ...(timeoutMs !== undefined && { timeouts: { total: timeoutMs } }),
  };
}

export const openClient = (shop: Shop) => createOrdersClient({ ...optionsOf(shop), schema: Update });

export async function sendUpdate(orders: OrdersClient, token: string): Promise<Outcome | 'applied'> {
  const signal = AbortSignal.timeout(1_000);
  const result: UpdateOrderResult<unknown> = await orders.safeUpdateOrder(token, { cart: {} }, { signal });
  if (result.ok) return 'applied';
  if (result.error.code === 'http_error') return result.error.status === 409 ? 'rejected' : 'unknown';
  return result.error.outcome;
}

export async function misuse(shop: Shop, orders: OrdersClient): Promise<void> {
  const defined = openClient(shop);
  await defined.updateOrder('token', { cart: {}, total: 39_900, meta_1: 'blue' });
  // @ts-expect-error: a total is a number
  await defined.updateOrder('token', { cart: {}, total: '39900' });
  // @ts-expect-error: a client without that schema does not know the field
  await orders.updateOrder('token', { cart: {}, total: 39_900 });
  // @ts-expect-error: `quantity` is misspelled, in a line of the cart
  await orders.updateOrder('token', { cart: { items: [{ quantiy: 1 }] } });
  // @ts-expect-error: a cart is required
  await orders.updateOrder('token', { order_id: 'A-1' });
  const { data } = await orders.updateOrder('token', { cart: {} });
  // @ts-expect-error: nothing is known of an answer
  assert.ok(data.token);
  // @ts-expect-error: a secret is not a string
  assert.equal(await authorize(basic('key')), ''.padEnd(await authorize(bearer('token'))));
}

export function readBody(body: unknown): OrderUpdate | readonly Explanation[] {
  const parsed = OrderUpdate.safeParse(body);
  return parsed.success ? parsed.data : explain(parsed.error);
}

export async function testIt(): Promise<void> {
  const service: MockOrderService = await startMockOrderService();
  try {
    await sendUpdate(createOrdersClient({ baseUrl: service.url, apiKey: service.key }), service.token);
  } catch (error) {
    if (!isOrdersError(error)) throw error;
    assert.ok(`${error.outcome} ${error.receipt}`);
  } finally {
    await service.close();
  }
}
