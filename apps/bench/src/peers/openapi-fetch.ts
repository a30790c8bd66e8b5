import type { OrderUpdate } from '@orders/schema';
import createClient from 'openapi-fetch';
import type { Peer, PeerOptions } from './peer.ts';
import { updateHeaders } from './update-request.ts';

/** What openapi-typescript would make of the operation. */
interface Paths {
  '/v2/orders/{order_token}': {
    patch: {
      parameters: { path: { order_token: string } };
      requestBody: { content: { 'application/json': OrderUpdate } };
      responses: { 200: { content: { 'application/json': unknown } } };
    };
  };
}

/** openapi-fetch, over the global `fetch`. */
export function createPeer({ baseUrl, apiKey }: PeerOptions): Peer {
  const client = createClient<Paths>({ baseUrl, headers: updateHeaders(apiKey) });
  return {
    async send(token, update) {
      const { data, response } = await client.PATCH('/v2/orders/{order_token}', {
        params: { path: { order_token: token } },
        body: update,
      });
      if (!response.ok) throw new Error(`Status ${response.status}`);
      return data;
    },
    close: async () => {},
  };
}
