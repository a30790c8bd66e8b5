/** A page that updates an order through a `fetch` of its own, which keeps the request. */
import { createOrdersClient } from '@orders/client';
import { sent } from './facts.ts';

async function makeUpdate(key: string): Promise<object> {
  let made: RequestInit | undefined;
  const orders = createOrdersClient({
    baseUrl: 'https://api.example.com',
    apiKey: key,
    dangerouslyAllowBrowser: true,
    fetch: async (_, init) => {
      made = init;
      return Response.json({});
    },
  });
  await orders.updateOrder('token', sent);
  const authorization = new Headers(made?.headers).get('authorization');
  return { transport: orders.transport, authorization, body: JSON.parse(String(made?.body)) };
}

Object.assign(globalThis, { page: { makeUpdate } });
