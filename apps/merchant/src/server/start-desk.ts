import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type AppOptions, createApp } from './create-app.ts';

export interface DeskOptions extends Omit<AppOptions, 'host'> {
  /** TCP port; 0 lets the system choose a free one. @default 0 */
  readonly port?: number;
  /** Address or name to listen on. @default '127.0.0.1' */
  readonly host?: string;
}

/** A desk that listens. */
export interface Desk {
  /** Where it is reached, without a trailing slash. */
  readonly url: string;
  /** Lets requests under way end for a moment, then closes every connection; further calls do nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How long requests under way may take to end, in milliseconds. */
const graceMs = 1000;

/**
 * Starts the desk: the page and its API on one server.
 *
 * @throws The error of `node:net`, such as `EADDRINUSE`, when it cannot listen.
 */
export async function startDesk(options: DeskOptions): Promise<Desk> {
  const { port = 0, host = '127.0.0.1', ...app } = options;
  const server = createServer(getRequestListener(createApp({ host, ...app }).fetch));
  const underWay = new Set<ServerResponse>();
  server.on('request', (_, response) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { address, port: boundPort } = server.address() as AddressInfo;

  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= new Promise<void>((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), underWay.size > 0 ? graceMs : 0);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    return closed;
  };
  return {
    url: `http://${nameHost(address)}:${boundPort}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** An unspecified address is one to listen on, not one to call. */
function nameHost(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIPv6(address) ? `[${address}]` : address;
}
