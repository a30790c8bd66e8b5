import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector, errors } from 'undici';
import { openTunnel, type Tunnel } from './tunnel.ts';

// undici's types leave out what its documentation promises: the socket is returned at once.
type Connector = (...given: Parameters<buildConnector.connector>) => Socket;

/** How connections are opened. */
export interface ConnectOptions {
  /** Until a connection can carry a request: TCP, the tunnel of a proxy, TLS. In milliseconds. */
  readonly timeoutMs: number;
  readonly secureContext?: SecureContext | undefined;
  /** The name that the certificate must hold, where it is not the host of the origin. */
  readonly servername?: string | undefined;
  readonly tunnel?: Tunnel | undefined;
}

/** A connection that is not ready: the TCP socket, and then the TLS socket over it. */
interface Opening {
  socket?: Socket;
}

/**
 * Opens the connections of our own agent. It ends a connection attempt that no request waits for any more, since undici
 * lets it run until it times out, which keeps Node alive (nodejs/undici#4405), and it resets connections whose request
 * is abandoned.
 */
export class ConnectingSockets {
  readonly #build: Connector;
  readonly #options: ConnectOptions;
  readonly #openings = new Set<Opening>();
  #waiting = 0;
  #abandoning = false;

  constructor(options: ConnectOptions) {
    const { timeoutMs: timeout, secureContext } = options;
    this.#options = options;
    // Ending an HTTP/2 stream whose body has not left whole makes Node spin endlessly; HTTP/2 is opt-in.
    this.#build = buildConnector({
      timeout,
      allowH2: false,
      ...(secureContext && { secureContext }),
    }) as Connector;
  }

  /** What an agent takes as its `connect`. */
  readonly connect: buildConnector.connector = (options, callback) => {
    const opening: Opening = {};
    const finish: buildConnector.Callback = (...result) => {
      clearTimeout(timer);
      this.#openings.delete(opening);
      callback(...result);
    };
    this.#openings.add(opening);
    // undici's own timer would start anew for the TLS handshake. A connection that is ready is noticed first.
    const expire = (): void => this.#expire(opening, options);
    const timer = setTimeout(() => setImmediate(expire), this.#options.timeoutMs);
    this.#open(options, opening).then(
      (socket) => finish(null, socket),
      (error) => finish(error, null),
    );
  };

  async #open(options: buildConnector.Options, opening: Opening): Promise<Socket> {
    const { tunnel, servername } = this.#options;
    const { servername: _tlsOnly, ...plain } = { ...options, protocol: 'http:', ...tunnel?.proxy };
    const isTls = options.protocol === 'https:';
    // Node resets TCP sockets only, so the TLS socket gets one that is already connected.
    const tcp = await this.#start({ ...plain, port: plain.port || (isTls ? '443' : '80') }, opening);
    if (tunnel) await openTunnel(tcp, tunnel);
    if (!isTls) return tcp;
    return this.#start(
      { ...options, httpSocket: tcp, ...(servername !== undefined && { servername }) },
      opening,
    );
  }

  /** Opens a socket, and resolves once it is connected. */
  #start(options: buildConnector.Options, opening: Opening): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = this.#build(options, (error, connected) => (error ? reject(error) : resolve(connected)));
      opening.socket = socket;
      if (!options.httpSocket) this.#makeResettable(socket);
    });
  }

  /** A TLS socket destroys the TCP socket below it, so one override serves both. */
  #makeResettable(socket: Socket): void {
    const { destroy } = socket;
    // `resetAndDestroy` calls `destroy`, too.
    socket.destroy = (error) => {
      socket.destroy = () => destroy.call(socket, error);
      return this.#abandoning ? socket.resetAndDestroy() : socket.destroy();
    };
  }

  #expire(opening: Opening, { host }: buildConnector.Options): void {
    if (!this.#openings.has(opening)) return;
    const details = `attempted address: ${host}, timeout: ${this.#options.timeoutMs}ms`;
    opening.socket?.destroy(new errors.ConnectTimeoutError(`Connect Timeout Error (${details})`));
  }

  /** A request begins to wait for a connection. */
  addWaiting(): void {
    this.#waiting += 1;
  }

  /** A request has a connection, or has ended without one. */
  removeWaiting(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    for (const { socket } of this.#openings)
      socket?.destroy(new Error('No call waits for this connection any more.'));
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
