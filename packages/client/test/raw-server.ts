import { createServer, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback.ts';

/** Starts a server that passes each whole request (head and body as latin1 text) and its socket to `respond`. */
export async function startRawServer(respond: (socket: Socket, request: string, count: number) => void) {
  const requests: string[] = [];
  const server = createServer((socket) => {
    let received = '';
    let length = Number.POSITIVE_INFINITY;
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk;
      const headEnd = length < Number.POSITIVE_INFINITY ? -1 : received.indexOf('\r\n\r\n');
      if (headEnd >= 0)
        length = headEnd + 4 + Number(/content-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1] ?? 0);
      if (received.length < length) return;
      const request = received;
      received = '';
      length = Number.POSITIVE_INFINITY;
      respond(socket, request, requests.push(request));
    });
  });
  const listener = await listenOnLoopback(server);
  return Object.assign(listener, { url: `http://127.0.0.1:${listener.port}`, requests });
}

/** An HTTP response as bytes on the wire. */
export function httpAnswer(status: number, headers: Record<string, string> = {}, body = ''): string {
  const all = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n${body}`;
}
