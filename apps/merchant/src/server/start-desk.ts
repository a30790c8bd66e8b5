import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type AppOptions, createApp } from './create-app.ts';

export interface DeskOptions extends Omit<AppOptions, 'host' | 'publicUrl' | 'signal'> {
  /** TCP port; 0 lets the system choose a free one. @default 0 */
  readonly port?: number;
  /** Address or name to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /** Where the order service reaches this desk, without a trailing slash. @default its own address */
  readonly publicUrl?: string | undefined;
  /** How long requests under way may take to end when it closes, in milliseconds. @default 1000 */
  readonly graceMs?: number;
}

/** A desk that listens. */
export interface Desk {
  /** Where it is reached, without a trailing slash. */
  readonly url: string;
  /** Where the order service reaches it, without a trailing slash. */
  readonly publicUrl: string;
  /** Ends streams at once, lets other requests end for a moment, then closes every connection; further calls do nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the desk: the page and its API on one server.
 *
 * @throws The error of `node:net`, such as `EADDRINUSE`, when it cannot listen.
 */
export async function startDesk(options: DeskOptions): Promise<Desk> {
  const { port = 0, host = '127.0.0.1', graceMs = 1000, ...app } = options;
  const server = createServer();
  const ending = new AbortController();
  const underWay = new Set<ServerResponse>();
  const endIfIdle = () => {
    if (ending.signal.aborted && underWay.size === 0) server.closeAllConnections();
  };
  server.on('request', (_, response) => {
    underWay.add(response);
    response.once('close', () => {
      underWay.delete(response);
      endIfIdle();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { address, port: boundPort } = server.address() as AddressInfo;
  const url = `http://${nameHost(address)}:${boundPort}`;
  const { publicUrl = url } = options;
  try {
    const { fetch } = createApp({ ...app, host, publicUrl, signal: ending.signal });
    server.on('request', getRequestListener(fetch));
  } catch (error) {
    server.close();
    throw error;
  }

  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= new Promise<void>((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      ending.abort();
      endIfIdle();
    });
    return closed;
  };
  return { url, publicUrl, close, [Symbol.asyncDispose]: close };
}

/** An unspecified address is one to listen on, not one to call. */
function nameHost(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIPv6(address) ? `[${address}]` : address;
}
