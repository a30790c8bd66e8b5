import { Agent } from 'node:http';
import axios from 'axios';
import type { Peer, PeerOptions } from './peer.ts';
import { updateHeaders, updatePath } from './update-request.ts';

/** axios, with an agent that keeps connections. */
export function createPeer({ baseUrl, apiKey }: PeerOptions): Peer {
  const httpAgent = new Agent({ keepAlive: true });
  const client = axios.create({ baseURL: baseUrl, headers: updateHeaders(apiKey), httpAgent });
  return {
    async send(token, update) {
      const { data } = await client.patch<unknown>(updatePath(token), update);
      return data;
    },
    close: async () => httpAgent.destroy(),
  };
}
