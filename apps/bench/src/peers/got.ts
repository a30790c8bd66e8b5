import { Agent } from 'node:http';
import got from 'got';
import type { Peer, PeerOptions } from './peer.ts';
import { updateHeaders, updatePath } from './update-request.ts';

/** got, with an agent that keeps connections. */
export function createPeer({ baseUrl, apiKey }: PeerOptions): Peer {
  const http = new Agent({ keepAlive: true });
  const client = got.extend({ prefixUrl: baseUrl, headers: updateHeaders(apiKey), agent: { http } });
  return {
    send: (token, update) => client.patch(updatePath(token).slice(1), { json: update }).json(),
    close: async () => http.destroy(),
  };
}
