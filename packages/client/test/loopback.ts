import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A server that listens on a free port of loopback; disposing of it ends its connections too. */
export interface Listener extends AsyncDisposable {
  readonly port: number;
  /** TCP connections that came, whatever became of them. */
  readonly connections: number;
  /** Ends the open connections; the server stays. */
  drop(): void;
}

/** Lets any server listen, be it TCP, TLS, HTTP or HTTP/2. */
export async function listenOnLoopback(server: Server, host = '127.0.0.1'): Promise<Listener> {
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const drop = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    drop,
    async [Symbol.asyncDispose]() {
      server.close();
      drop();
      await once(server, 'close');
    },
  };
}
