import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * One address for the server on a port, as a virtual IP or a DNS name is; without a port it refuses connections.
 *
 * @param hold Of a connection on which `method` was sent, no response comes through before `until` resolves.
 */
export async function startForwarder(
  port: number,
  hold?: { readonly method: string; readonly until: Promise<void> },
) {
  let target: number | undefined = port;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    if (target === undefined) return void socket.destroy();
    const upstream = connect(target, '127.0.0.1');
    if (hold)
      socket.on('data', (chunk) => {
        if (!chunk.includes(hold.method)) return;
        upstream.pause();
        void hold.until.then(() => upstream.resume());
      });
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    /** Ends all connections, and leads to another port from here on. */
    pointTo(next: number | undefined) {
      target = next;
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
