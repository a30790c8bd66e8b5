import { createServer, request as forward, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback.ts';

/** What a proxy does with each request: it serves it, refuses it with a status, hangs up, or never responds. */
export type Manner = 'serve' | 'hang up' | 'stall' | number;

/** Starts a proxy on loopback that opens tunnels for `CONNECT`, and forwards plain http requests. */
export async function startProxy(manner: Manner = 'serve') {
  const requests: { line: string; headers: IncomingHttpHeaders }[] = [];
  const chunks: Buffer[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ line: `${method} ${url}`, headers });
    if (typeof manner === 'number') {
      response.writeHead(manner).end();
      return;
    }
    const onward = forward(url, { method, headers }, (forwarded) => {
      response.writeHead(forwarded.statusCode ?? 502, forwarded.headers);
      forwarded.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connection', (socket: Socket) => socket.on('data', (chunk: Buffer) => chunks.push(chunk)));
  server.on('connect', ({ method, url = '', headers }, client: Socket, head: Buffer) => {
    requests.push({ line: `${method} ${url}`, headers });
    if (manner === 'stall') return;
    if (manner === 'hang up') client.destroy();
    else if (manner !== 'serve') client.end(`HTTP/1.1 ${manner} Refused\r\n\r\n`);
    else tunnel(client, head, Number(url.slice(url.lastIndexOf(':') + 1)));
  });
  const listener = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${listener.port}`,
    /** Requests to the proxy itself: `CONNECT`, or whole requests to forward. */
    requests,
    /** Every byte that came from the client, as latin1 text. */
    received: () => Buffer.concat(chunks).toString('latin1'),
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

function tunnel(client: Socket, head: Buffer, port: number): void {
  const target = connect(port, '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.write(head);
    target.pipe(client).pipe(target);
  });
  target.on('error', () => client.destroy());
  client.on('error', () => target.destroy());
  client.on('close', () => target.destroy());
}
