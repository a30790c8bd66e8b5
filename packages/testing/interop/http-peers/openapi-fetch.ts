import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/openapi.ts';
import { authorizationOf, type HttpPeer, oneByOne, type PeerAnswer } from './http-peer.ts';

const notInDocument = 'the document has no such operation';

/** The client that openapi-typescript and openapi-fetch make of our OpenAPI document. */
export const openApiFetchPeer: HttpPeer = {
  name: 'openapi-fetch',
  cannot: { HEAD: notInDocument, OPTIONS: notInDocument, PUT: notInDocument },
  send: oneByOne(async (request) => {
    const { baseUrl, target, headers = {} } = request;
    const client = createClient<paths>({ baseUrl, headers: { authorization: authorizationOf(request) } });
    if (target === 'echo') return read(await client.GET('/v2/echo_with_private_key', { headers }));
    const answer = await client.PATCH('/v2/orders/{order_token}', {
      params: { path: { order_token: target.token } },
      headers,
      // What is wrong on purpose would not compile.
      body: request.body as components['schemas']['OrderUpdate'],
    });
    return read(answer);
  }),
};

/** It has read the body already, as JSON. */
function read(answer: { response: Response; data?: unknown; error?: unknown }): PeerAnswer {
  const { response, data, error } = answer;
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: JSON.stringify(response.ok ? data : error) };
}
