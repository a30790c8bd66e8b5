import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server on loopback that does to each request whatever a test says, below the level of HTTP. */
export interface RawServer extends AsyncDisposable {
  readonly url: string;
  /** Requests that arrived whole. */
  readonly requests: string[];
}

/** Starts a server that hands each request (head and body as text) and its socket to `answer`. */
export async function startRawServer(
  answer: (socket: Socket, request: string, count: number) => void,
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const [head = '', body] = received.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      requests.push(received);
      received = '';
      answer(socket, requests.at(-1) ?? '', requests.length);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An HTTP answer as bytes on the wire. */
export function httpAnswer(status: number, headers: Record<string, string> = {}, body = ''): string {
  const all = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n${body}`;
}
