import { once } from 'node:events';
import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A server that can go down and come back at the same address. */
export interface Listening {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Ends every connection and listens again after so many milliseconds; does nothing while it is down already. */
  restart(downMs: number): void;
  /** Ends every connection and never listens again. */
  stop(): Promise<void>;
}

/** For a port that another process took while the service was down. */
const RETRY_MS = 20;

/** Rejects with the error of `node:net`, such as `EADDRINUSE`, when the server cannot listen. */
export async function startListening(server: Server, port: number, host: string): Promise<Listening> {
  await listen(server, port, host);
  const address = server.address();
  if (typeof address !== 'object' || address === null) {
    throw new Error('The service listens without an address.');
  }
  const stopping = new AbortController();
  let comingBack: Promise<void> | undefined;

  const comeBack = async (downMs: number) => {
    await shut(server);
    let waitMs = downMs;
    while (!server.listening) {
      await delay(waitMs, undefined, { signal: stopping.signal });
      await listen(server, address.port, address.address).catch(() => {});
      waitMs = RETRY_MS;
    }
  };

  return {
    url: `http://${nameHost(address.address)}:${address.port}`,
    restart(downMs) {
      // It ends by an abort when the service stops.
      comingBack ??= comeBack(downMs)
        .catch(() => {})
        .finally(() => {
          comingBack = undefined;
        });
    },
    async stop() {
      stopping.abort();
      // Told to stop while it begins to listen, a server may go on.
      await comingBack;
      await shut(server);
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** An unspecified address is one to listen on, not one to call. */
function nameHost(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIPv6(address) ? `[${address}]` : address;
}
