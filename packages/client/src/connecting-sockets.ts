import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

type Connect = buildConnector.connector;

/**
 * Connects for an agent of ours, and ends what still connects when no exchange waits for it any more: undici
 * lets it connect on until it times out, which keeps Node alive (nodejs/undici#4405).
 */
export class ConnectingSockets {
  readonly #open: (...given: Parameters<Connect>) => Socket;
  readonly #sockets = new Set<Socket>();
  #waiting = 0;

  constructor(options: buildConnector.BuildOptions) {
    // undici's types leave out what its documentation promises: the socket is returned at once.
    this.#open = buildConnector(options) as (...given: Parameters<Connect>) => Socket;
  }

  /** What an agent takes as its `connect`. */
  readonly connect: Connect = (options, callback) => {
    const socket = this.#open(options, (...connected) => {
      this.#sockets.delete(socket);
      callback(...connected);
    });
    this.#sockets.add(socket);
  };

  /** An exchange begins to wait for a connection. */
  enter(): void {
    this.#waiting += 1;
  }

  /** An exchange has a connection, or has ended without one. */
  leave(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    for (const socket of this.#sockets) socket.destroy(new Error('Nobody waits for this connection.'));
  }
}
