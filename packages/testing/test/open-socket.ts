import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { OrderService } from '../src/index.ts';

/** A bare connection to the service, for what an HTTP client would refuse to send. */
export async function openSocket({ url }: Pick<OrderService, 'url'>): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Everything that arrives until the connection ends, by whichever side and however roughly. */
export function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.once('close', () => resolve(text));
  });
}
