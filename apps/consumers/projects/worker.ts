/** A worker that updates the order it is asked about. */
import { createOrdersClient } from '@orders/client';
import type { Place } from './facts.ts';
import { updateOneOrder } from './use-client.ts';

async function answer(request: Request): Promise<Response> {
  const { url, key, token } = (await request.json()) as Place;
  const orders = createOrdersClient({ baseUrl: url, apiKey: key });
  await updateOneOrder(orders, token, 'fetch');
  await orders.close();
  return new Response('updated');
}

export const worker = { fetch: answer };
