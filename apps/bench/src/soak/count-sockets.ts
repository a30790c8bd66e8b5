import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Counts the sockets of this process to others from now on: those in use, and those kept for later. */
export function countSockets(): () => number {
  let open = 0;
  // The list of active resources leaves out sockets that only wait for the next request.
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { readonly socket: Socket };
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  return () => open;
}
