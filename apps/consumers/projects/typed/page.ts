/** What a page or a worker in TypeScript writes: no types of Node, and no more of the library than Vite's template has. */
import { authorize, basic } from '@orders/auth';
import { createOrdersClient } from '@orders/client';
import { Cart, defineOrderUpdate, explain, OrderToken, OrderUpdate } from '@orders/schema';

export const Update = defineOrderUpdate({ vatAmount: 'vat', currencies: ['SEK'] });

export function hintsOf(body: unknown): ReadonlyMap<string, string> {
  const parsed = Update.safeParse(body);
  return new Map(
    parsed.success ? [] : explain(parsed.error).map(({ path, message, hint }) => [path, hint ?? message]),
  );
}

export const isCart = (value: unknown): value is Cart => Cart.safeParse(value).success;

export async function headersOf(key: string): Promise<Record<string, string>> {
  const authorization = await authorize(basic(key));
  return { authorization: authorization.reveal() };
}

export async function sendFromWorker(baseUrl: string, apiKey: string): Promise<number> {
  const orders = createOrdersClient({ baseUrl, apiKey });
  const { status } = await orders.updateOrder(OrderToken.parse('token'), OrderUpdate.parse({ cart: {} }));
  await orders.close();
  return status;
}

// @ts-expect-error: `sku` is misspelled
export const misspelled: OrderUpdate = { cart: { items: [{ skuu: 'mug' }] } };
