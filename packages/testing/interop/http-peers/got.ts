import got from 'got';
import { type HttpPeer, oneByOne, urlOf } from './http-peer.ts';

export const gotPeer: HttpPeer = {
  name: 'got',
  cannot: {},
  send: oneByOne(async (request) => {
    const answer = await got(urlOf(request), {
      method: request.method,
      username: request.apiKey,
      password: '',
      ...(request.body && { json: request.body }),
      headers: { ...request.headers },
      throwHttpErrors: false,
      retry: { limit: 0 },
    });
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return { status: answer.statusCode, headers: Object.fromEntries(headers), body: answer.body };
  }),
};
