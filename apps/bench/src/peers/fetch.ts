import type { Peer, PeerOptions } from './peer.ts';
import { updateHeaders, updatePath } from './update-request.ts';

/** The global `fetch` of Node. */
export function createPeer({ baseUrl, apiKey }: PeerOptions): Peer {
  const headers = updateHeaders(apiKey);
  return {
    async send(token, update) {
      const response = await fetch(baseUrl + updatePath(token), {
        method: 'PATCH',
        headers,
        body: JSON.stringify(update),
      });
      if (!response.ok) throw new Error(`Status ${response.status}`);
      return response.json();
    },
    close: async () => {},
  };
}
