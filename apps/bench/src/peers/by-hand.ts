import { Agent, request } from 'undici';
import { HandWrittenUpdate } from '../validators/zod.ts';
import type { Peer, PeerOptions } from './peer.ts';
import { updateHeaders, updatePath } from './update-request.ts';

/** What an engineer writes by hand: zod, `undici.request`, and a signal that bounds the time. */
export function createPeer({ baseUrl, apiKey }: PeerOptions): Peer {
  const dispatcher = new Agent();
  const headers = updateHeaders(apiKey);
  return {
    async send(token, update) {
      const { statusCode, body } = await request(baseUrl + updatePath(token), {
        method: 'PATCH',
        headers,
        body: JSON.stringify(HandWrittenUpdate.parse(update)),
        signal: AbortSignal.timeout(15_000),
        dispatcher,
      });
      if (statusCode !== 200) throw new Error(`Status ${statusCode}: ${await body.text()}`);
      return body.json();
    },
    close: () => dispatcher.close(),
  };
}
