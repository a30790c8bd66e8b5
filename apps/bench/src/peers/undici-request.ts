import { Agent, request } from 'undici';
import type { Peer, PeerOptions } from './peer.ts';
import { updateHeaders, updatePath } from './update-request.ts';

/** Bare `undici.request`: what all others are compared with. */
export function createPeer({ baseUrl, apiKey }: PeerOptions): Peer {
  const dispatcher = new Agent();
  const headers = updateHeaders(apiKey);
  return {
    async send(token, update) {
      const { statusCode, body } = await request(baseUrl + updatePath(token), {
        method: 'PATCH',
        headers,
        body: JSON.stringify(update),
        dispatcher,
      });
      if (statusCode !== 200) throw new Error(`Status ${statusCode}`);
      return body.json();
    },
    close: () => dispatcher.close(),
  };
}
