import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { CommandFailure } from './command-failure.ts';
import type { ListenAt } from './work-settings.ts';

/** A server that listens. */
export interface StartedServer {
  /** Where it is reached, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Lets answers under way end for a moment, then closes every connection. */
  close(): Promise<void>;
}

type Fetch = Parameters<typeof getRequestListener>[0];

/** How long answers under way may take when it closes, in milliseconds. */
const closeMs = 1_000;

/**
 * Starts a server; what answers is made once its port is known.
 *
 * @throws CommandFailure when it cannot listen.
 */
export async function startServer(
  { host, port }: ListenAt,
  makeFetch: (port: number) => Fetch,
): Promise<StartedServer> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 5_000 });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new CommandFailure(explain(error as Error, { host, port }), 1, { cause: error });
  }
  const { address, port: bound } = server.address() as AddressInfo;
  const fetch = makeFetch(bound);
  // A name is needed only where a request has none, as those of some probes.
  server.on('request', getRequestListener(fetch, { hostname: 'localhost', overrideGlobalObjects: false }));
  return {
    url: `http://${nameHost(address)}:${bound}`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), closeMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}

function explain(error: Error, { host, port }: ListenAt): string {
  const isTaken = 'code' in error && error.code === 'EADDRINUSE';
  if (isTaken) return `port ${port} on ${host} is taken; give another with --port.`;
  return `cannot listen on port ${port} of ${host}: ${error.message}`;
}

/** An unspecified address is one to listen on, not one to call. */
function nameHost(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIPv6(address) ? `[${address}]` : address;
}
