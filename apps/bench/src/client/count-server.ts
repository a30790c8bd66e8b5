/** Runs a server that reads each request and responds alike to all: as little work as HTTP allows. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildUpdate, tokenOf } from '../workload.ts';

/** The body of every response: one order. */
export const responseBody = { token: tokenOf(0), revision: 7, order: buildUpdate(2) };

export async function start(_settings: object) {
  let count = 0;
  let last: { readonly request: IncomingMessage; readonly chunks: readonly Buffer[] } | undefined;
  const body = Buffer.from(JSON.stringify(responseBody));
  const responseHeaders = { 'content-type': 'application/json', 'content-length': body.byteLength };
  // A peer that waits for its turn keeps its connections, so no turn pays for connecting.
  const server = createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      count += 1;
      last = { request, chunks };
      response.writeHead(200, responseHeaders).end(body);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Requests since the last call. */
    takeCount(): number {
      const taken = count;
      count = 0;
      return taken;
    },
    /** What must be the same for every peer. */
    lastRequest() {
      if (!last) throw new TypeError('Nothing has arrived yet.');
      const { method, url, headers } = last.request;
      const { authorization, accept, 'content-type': type, 'content-length': length } = headers;
      return {
        method,
        url,
        authorization,
        accept,
        type,
        length,
        body: Buffer.concat(last.chunks).toString(),
      };
    },
  };
}
