import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, isIPv6, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A server that can go down and come back at the same address. */
export interface Listening {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly address: string;
  /** Ends every connection, and listens again after so many milliseconds or at `goUp`; replaces an earlier `goDown`. */
  goDown(ms: number): void;
  /** Listens again at once; does nothing while it listens. */
  goUp(): void;
  /** Ends every connection, and never listens again. */
  stop(): Promise<void>;
}

/** For a port that another process took while the service was down. */
const retryMs = 20;

/** Rejects with the error of `node:net`, such as `EADDRINUSE`, when the server cannot listen. */
export async function startListening(server: Server, port: number, host: string): Promise<Listening> {
  server.listen(port, host);
  await once(server, 'listening');
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('The service listens without an address.');
  const { address } = bound;
  let isWanted = true;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let isSettling = false;
  let settled = Promise.resolve();
  let held: Socket | undefined;

  const settle = async (): Promise<void> => {
    isSettling = true;
    while (server.listening !== isWanted) {
      if (isWanted) {
        held?.destroy();
        server.listen(bound.port, address);
        await once(server, 'listening').catch(() => delay(retryMs));
      } else {
        server.close();
        server.closeAllConnections();
        if (!isStopped) held = holdPort(bound.port, address);
      }
    }
    isSettling = false;
  };
  const change = (isUp: boolean): void => {
    clearTimeout(timer);
    isWanted = isUp && !isStopped;
    if (!isSettling) settled = settle();
  };

  return {
    url: `http://${urlHost(address)}:${bound.port}`,
    address,
    goDown(ms) {
      if (isStopped) return;
      change(false);
      if (ms !== Number.POSITIVE_INFINITY) timer = setTimeout(() => change(true), ms);
    },
    goUp: () => change(true),
    async stop() {
      isStopped = true;
      change(false);
      // A server that is closed while it begins to listen would go on.
      await settled;
      held?.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/**
 * Connects a port with itself once nothing listens there. Other connections are refused, and the system does not give the
 * port to the next server, which would get the requests.
 */
function holdPort(port: number, address: string): Socket {
  const to = { port, host: address, localPort: port, localAddress: address };
  return connect(to)
    .on('error', () => {})
    .unref();
}

/** An unspecified address is one to listen on, not one to call. */
function urlHost(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIPv6(address) ? `[${address}]` : address;
}
