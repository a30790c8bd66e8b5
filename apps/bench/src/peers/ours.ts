import { createOrdersClient } from '@orders/client';
import type { Peer, PeerOptions } from './peer.ts';

/** `updateOrder` of this repository, with default options: validation, lanes, retry, deadline and receipt included. */
export function createPeer({ baseUrl, apiKey }: PeerOptions): Peer {
  const orders = createOrdersClient({ baseUrl, apiKey });
  return {
    async send(token, update) {
      const { data } = await orders.updateOrder(token, update);
      return data;
    },
    close: () => orders.close(),
  };
}
