import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { MockOrderService } from '../src/index.ts';

/** A bare connection to the service, for what an HTTP client would not send; `text` is sent at once. */
export async function openSocket({ url }: Pick<MockOrderService, 'url'>, text = ''): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}
