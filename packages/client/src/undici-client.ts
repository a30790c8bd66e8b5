// First, before undici is loaded.
import './node-version.ts';

import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import { type Dispatcher, Pool } from 'undici';
import { createClient, type OrdersClient, type Platform } from './client.ts';
import { Connections } from './connections.ts';
import { createUpdateMetrics } from './metrics.ts';
import { check, checkCount, checkMs, type OrdersClientOptions } from './options.ts';
import { ConnectingSockets } from './sockets.ts';
import { readTls } from './tls.ts';
import { tracedUpdateOperation, withTracing } from './tracing.ts';
import { parseProxy } from './tunnel.ts';
import { undiciTransport } from './undici-transport.ts';

/**
 * Creates a client of the order service. A process needs one: `close` it at the end. Nothing is sent before the first
 * call. In Node and Deno it sends over undici; in Bun, workers, edge functions and browsers, and when it is imported from
 * `@orders/client/fetch`, over `fetch`.
 *
 * @example
 * const orders = createOrdersClient({ baseUrl, apiKey });
 * const { data } = await orders.updateOrder(token, { cart: { items: [] } });
 *
 * @throws TypeError when an option is unknown, missing or out of range; the message says what to write.
 */
export function createOrdersClient<Update extends OrderUpdate = OrderUpdate, Data = unknown>(
  options: OrdersClientOptions<Update, Data>,
): OrdersClient<Update, Data> {
  return createClient(options, 'undici', (origin) => {
    const { measured, counted } = createUpdateMetrics();
    const platform: Pick<Platform, 'measure' | 'wrap' | 'validate' | 'compile'> = {
      measure: Buffer.byteLength,
      wrap: (makeCall) => measured(withTracing(makeCall)),
      validate: counted(tracedUpdateOperation),
      compile,
    };
    const timeoutMs = checkMs('timeouts.connect', options.timeouts?.connect ?? 5_000);
    const idle = checkMs('timeouts.idle', options.timeouts?.idle ?? 4_000);
    check(!options.fetch, 'fetch: this client sends over undici; use @orders/client/fetch.');
    const dispatcher = options.dispatcher as Dispatcher | undefined;
    const { tls, proxy, maxConnections } = options;
    if (dispatcher) {
      check(typeof dispatcher.dispatch === 'function', 'dispatcher: pass a dispatcher of undici.');
      const isOwn = (tls ?? proxy ?? maxConnections) === undefined;
      check(isOwn, 'dispatcher has connections of its own: pass tls, proxy or maxConnections without it.');
      return { ...platform, transport: undiciTransport(dispatcher), release: async () => {} };
    }
    const connecting = new ConnectingSockets({
      timeoutMs,
      ...readTls(tls),
      tunnel: proxy === undefined ? undefined : parseProxy(proxy, origin),
    });
    const connections =
      maxConnections === undefined
        ? undefined
        : new Connections(checkCount('maxConnections', maxConnections));
    const pool = new Pool(origin, {
      connect: connecting.connect,
      connections: maxConnections ?? null,
      allowH2: false,
      keepAliveTimeout: idle,
      // What the service announces may shorten the time, and must not lengthen it.
      keepAliveMaxTimeout: idle,
    });
    const transport = undiciTransport(pool, connecting);
    return { ...platform, transport, connections, release: () => pool.destroy() };
  });
}

const compilations = new WeakMap<OrderUpdateSchema, OrderUpdateSchema>();

/** Compiles a schema once, however many clients it serves. */
function compile(schema: OrderUpdateSchema): OrderUpdateSchema {
  const compiled = compilations.get(schema) ?? compileOrderUpdate(schema);
  compilations.set(schema, compiled);
  return compiled;
}
