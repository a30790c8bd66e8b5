import axios from 'axios';
import { type HttpPeer, oneByOne, urlOf } from './http-peer.ts';

export const axiosPeer: HttpPeer = {
  name: 'axios',
  cannot: {},
  send: oneByOne(async (request) => {
    const answer = await axios.request<string>({
      url: urlOf(request),
      method: request.method,
      auth: { username: request.apiKey, password: '' },
      data: request.body,
      headers: { ...request.headers },
      responseType: 'text',
      validateStatus: () => true,
      // Else it takes JSON apart even where text is asked for.
      transformResponse: (text: string) => text,
    });
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return { status: answer.status, headers: Object.fromEntries(headers), body: answer.data };
  }),
};
