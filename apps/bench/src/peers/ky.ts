import ky from 'ky';
import type { Peer, PeerOptions } from './peer.ts';
import { updateHeaders, updatePath } from './update-request.ts';

/** ky, over the global `fetch`. */
export function createPeer({ baseUrl, apiKey }: PeerOptions): Peer {
  const client = ky.create({ baseUrl, headers: updateHeaders(apiKey) });
  return {
    send: (token, update) => client.patch(updatePath(token), { json: update }).json(),
    close: async () => {},
  };
}
