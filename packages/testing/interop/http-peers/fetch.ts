import { authorizationOf, type HttpPeer, oneByOne, readResponse, urlOf } from './http-peer.ts';

/** The `fetch` of Node itself. */
export const fetchPeer: HttpPeer = {
  name: 'fetch',
  cannot: {},
  send: oneByOne(async (request) => {
    const type = request.body && { 'content-type': 'application/json' };
    const answer = await fetch(urlOf(request), {
      method: request.method,
      headers: { authorization: authorizationOf(request), ...type, ...request.headers },
      ...(request.body && { body: JSON.stringify(request.body) }),
    });
    return readResponse(answer);
  }),
};
