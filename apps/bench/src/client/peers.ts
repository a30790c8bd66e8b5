import { Agent as HttpAgent } from 'node:http';
import type { OrderUpdate } from '@orders/schema';
import type { Dispatcher } from 'undici';
import { apiKey } from '../workload.ts';

/** Sends an update and resolves with the parsed body of the response; rejects unless it succeeded. */
export type Send = (token: string, update: OrderUpdate) => Promise<unknown>;

interface Peer {
  /** Its name in tables. */
  readonly label: string;
  /** The package whose version is shown; Node's own otherwise. */
  readonly from?: string;
  /** Loads it, set up as its documentation suggests, in the process that measures it. */
  readonly create: (baseUrl: string) => Promise<Send>;
}

const headers = {
  authorization: `Basic ${btoa(`${apiKey}:`)}`,
  'content-type': 'application/json',
  accept: 'application/json',
};
const pathOf = (token: string): string => `/v2/orders/${encodeURIComponent(token)}`;

/** All clients, in the order of the tables. */
export const peers = {
  // The least that undici can do.
  dispatch: {
    label: 'undici.dispatch',
    from: 'undici',
    async create(origin) {
      const { Agent } = await import('undici');
      const agent = new Agent();
      return (token, update) =>
        new Promise((resolve, reject) => {
          const body = JSON.stringify(update);
          const request = { origin, path: pathOf(token), method: 'PATCH', headers, body } as const;
          agent.dispatch(request, collectJson(resolve, reject));
        });
    },
  },
  request: {
    label: 'undici.request',
    from: 'undici',
    async create(baseUrl) {
      const { Agent, request } = await import('undici');
      const dispatcher = new Agent();
      return async (token, update) => {
        const options = { method: 'PATCH', headers, body: JSON.stringify(update), dispatcher } as const;
        const { statusCode, body } = await request(baseUrl + pathOf(token), options);
        if (statusCode !== 200) throw new Error(`Status ${statusCode}`);
        return body.json();
      };
    },
  },
  // With defaults: validation, sequence per order, retry, deadline and receipt.
  ours: {
    label: '@orders/client',
    from: '@orders/client',
    async create(baseUrl) {
      const { createOrdersClient } = await import('@orders/client');
      const orders = createOrdersClient({ baseUrl, apiKey });
      return async (token, update) => (await orders.updateOrder(token, update)).data;
    },
  },
  // What an engineer writes without us.
  'by-hand': {
    label: 'zod + undici by hand',
    from: 'zod',
    async create(baseUrl) {
      const { Agent, request } = await import('undici');
      const { HandWrittenUpdate } = await import('./hand-written-update.ts');
      const dispatcher = new Agent();
      return async (token, update) => {
        const { statusCode, body } = await request(baseUrl + pathOf(token), {
          method: 'PATCH',
          headers,
          body: JSON.stringify(HandWrittenUpdate.parse(update)),
          signal: AbortSignal.timeout(15_000),
          dispatcher,
        });
        if (statusCode !== 200) throw new Error(`Status ${statusCode}: ${await body.text()}`);
        return body.json();
      };
    },
  },
  fetch: {
    label: 'fetch',
    create: async (baseUrl) => async (token, update) => {
      const options = { method: 'PATCH', headers, body: JSON.stringify(update) };
      const response = await fetch(baseUrl + pathOf(token), options);
      if (!response.ok) throw new Error(`Status ${response.status}`);
      return response.json();
    },
  },
  got: {
    label: 'got',
    from: 'got',
    async create(prefixUrl) {
      const { default: got } = await import('got');
      const client = got.extend({ prefixUrl, headers, agent: { http: new HttpAgent({ keepAlive: true }) } });
      return (token, update) => client.patch(pathOf(token).slice(1), { json: update }).json();
    },
  },
  axios: {
    label: 'axios',
    from: 'axios',
    async create(baseURL) {
      const { default: axios } = await import('axios');
      const client = axios.create({ baseURL, headers, httpAgent: new HttpAgent({ keepAlive: true }) });
      return async (token, update) => (await client.patch<unknown>(pathOf(token), update)).data;
    },
  },
  ky: {
    label: 'ky',
    from: 'ky',
    async create(baseUrl) {
      const { default: ky } = await import('ky');
      const client = ky.create({ baseUrl, headers });
      return (token, update) => client.patch(pathOf(token), { json: update }).json();
    },
  },
} as const satisfies Record<string, Peer>;

export type PeerName = keyof typeof peers;
export const peerNames = Object.keys(peers) as readonly PeerName[];

function collectJson(
  resolve: (body: unknown) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const chunks: Uint8Array[] = [];
  let status = 0;
  return {
    // Without it, undici takes the handler for one of its older interface.
    onRequestStart() {},
    onResponseStart(_, statusCode) {
      status = statusCode;
    },
    onResponseData: (_, chunk) => void chunks.push(chunk),
    onResponseEnd() {
      if (status !== 200) reject(new Error(`Status ${status}`));
      else resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    },
    onResponseError: (_, error) => reject(error),
  };
}
