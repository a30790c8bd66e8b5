import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fixedAnswer } from './fixed-answer.ts';

/** A request as it arrived: what must be the same for every peer. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  readonly contentLength: string | undefined;
  readonly body: string;
}

/** Starts a server that reads each request to its end and answers all alike: as little work as HTTP allows. */
export async function startCountServer() {
  let count = 0;
  let last: { readonly request: IncomingMessage; readonly chunks: readonly Buffer[] } | undefined;
  const body = Buffer.from(JSON.stringify(fixedAnswer));
  const headers = { 'content-type': 'application/json', 'content-length': body.byteLength };
  // A peer that waits for its next round keeps its connections, so that no round pays for connecting.
  const server = createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      count += 1;
      last = { request, chunks };
      response.writeHead(200, headers);
      response.end(body);
    });
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const { port } = server.address() as AddressInfo;

  return {
    url: () => `http://127.0.0.1:${port}`,
    /** Requests answered since the last time that somebody asked. */
    takeCount(): number {
      const taken = count;
      count = 0;
      return taken;
    },
    lastRequest(): ReceivedRequest {
      if (!last) throw new Error('Nothing has arrived yet.');
      const { method, url, headers } = last.request;
      return {
        method,
        path: url,
        authorization: headers.authorization,
        contentType: headers['content-type'],
        accept: headers.accept,
        contentLength: headers['content-length'],
        body: Buffer.concat(last.chunks).toString('utf8'),
      };
    },
  };
}
