import { createServer, request as forward, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback.ts';

/** What a proxy does with each request: it serves it, to one login alone or to all, refuses it with a status, hangs up, or never responds. */
export type Manner = 'serve' | { readonly login: string } | 'hang up' | 'stall' | number;

/** Starts a proxy on an address of loopback that opens tunnels for `CONNECT`, and forwards plain http requests. */
export async function startProxy(manner: Manner = 'serve', host = '127.0.0.1') {
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
  const ending = Promise.withResolvers<string | undefined>();
  server.on('connection', (socket: Socket) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => ending.resolve('end'));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => ending.resolve(code));
  });
  server.on('connect', ({ method, url = '', headers }, client: Socket, head: Buffer) => {
    requests.push({ line: `${method} ${url}`, headers });
    if (manner === 'stall') {
      // Nothing reads it any more, so nothing else would see its end.
      client.resume();
      return;
    }
    const { login } = Object(manner);
    const status = login && headers['proxy-authorization'] !== `Basic ${btoa(login)}` ? 407 : manner;
    if (manner === 'hang up') client.destroy();
    else if (typeof status === 'number') client.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
    else tunnel(client, head, Number(url.slice(url.lastIndexOf(':') + 1)));
  });
  const listener = await listenOnLoopback(server, host);
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
    /** Requests to the proxy itself: `CONNECT`, or whole requests to forward. */
    requests,
    /** Every byte that came from the client, as latin1 text. */
    received: () => Buffer.concat(chunks).toString('latin1'),
    /** How its first connection ended: `end` after an ordinary close, `ECONNRESET` after a reset. */
    ending: ending.promise,
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
