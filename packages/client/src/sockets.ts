import type { Socket } from 'node:net';
import { buildConnector, errors } from 'undici';

// undici's types leave out what its documentation promises: the socket is returned at once.
type Connector = (...given: Parameters<buildConnector.connector>) => Socket;

/**
 * Opens the connections of our own agent. It ends a connection attempt that no request waits for any more, since undici
 * lets it run until it times out, which keeps Node alive (nodejs/undici#4405), and it resets connections whose request
 * is abandoned.
 */
export class ConnectingSockets {
  readonly #open: Connector;
  readonly #timeoutMs: number;
  readonly #sockets = new Set<Socket>();
  #waiting = 0;
  #abandoning = false;

  constructor(options: buildConnector.BuildOptions & { readonly timeout: number }) {
    this.#open = buildConnector(options) as Connector;
    this.#timeoutMs = options.timeout;
  }

  /** What an agent takes as its `connect`. */
  readonly connect: buildConnector.connector = (options, callback) => {
    const finish: buildConnector.Callback = (...result) => {
      clearTimeout(timer);
      callback(...result);
    };
    let socket: Socket;
    if (options.protocol === 'https:') {
      const { servername: _tlsOnly, ...tcp } = options;
      // Node resets TCP sockets only, so the TLS socket gets one that is already connected.
      socket = this.#start(
        { ...tcp, protocol: 'http:', port: options.port || '443' },
        (error, httpSocket) => {
          if (error) finish(error, null);
          else socket = this.#start({ ...options, httpSocket }, finish);
        },
      );
    } else socket = this.#start(options, finish);
    // undici's own timer would start anew for the TLS handshake. A connection that is ready is noticed first.
    const timer = setTimeout(() => setImmediate(() => this.#expire(socket, options)), this.#timeoutMs);
  };

  #start(options: buildConnector.Options, callback: buildConnector.Callback): Socket {
    const socket = this.#open(options, (...result) => {
      this.#sockets.delete(socket);
      callback(...result);
    });
    this.#sockets.add(socket);
    if (!options.httpSocket) this.#makeResettable(socket);
    return socket;
  }

  /** A TLS socket destroys the TCP socket below it, so one override serves both. */
  #makeResettable(socket: Socket): void {
    const { destroy } = socket;
    socket.destroy = (error) => {
      socket.destroy = () => destroy.call(socket, error);
      return this.#abandoning ? socket.resetAndDestroy() : socket.destroy();
    };
  }

  #expire(socket: Socket, { host }: buildConnector.Options): void {
    if (!this.#sockets.has(socket)) return;
    const details = `attempted address: ${host}, timeout: ${this.#timeoutMs}ms`;
    socket.destroy(new errors.ConnectTimeoutError(`Connect Timeout Error (${details})`));
  }

  /** A request begins to wait for a connection. */
  acquire(): void {
    this.#waiting += 1;
  }

  /** A request has a connection, or has ended without one. */
  release(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    for (const socket of this.#sockets)
      socket.destroy(new Error('No call waits for this connection any more.'));
  }

  /**
   * Resets each connection that `abort` closes. After an ordinary close the kernel would go on sending a request that
   * is still in its queue, and the service could apply it after later updates.
   */
  abandon(abort: () => void): void {
    this.#abandoning = true;
    try {
      abort();
    } finally {
      this.#abandoning = false;
    }
  }
}
