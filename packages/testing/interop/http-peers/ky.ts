import ky from 'ky';
import { authorizationOf, type HttpPeer, oneByOne, readResponse, urlOf } from './http-peer.ts';

export const kyPeer: HttpPeer = {
  name: 'ky',
  cannot: {},
  send: oneByOne(async (request) => {
    const answer = await ky(urlOf(request), {
      method: request.method,
      headers: { authorization: authorizationOf(request), ...request.headers },
      ...(request.body && { json: request.body }),
      throwHttpErrors: false,
      retry: 0,
    });
    return readResponse(answer);
  }),
};
