import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import { type Dispatcher, Pool } from 'undici';
import { createClient, type OrdersClient } from './client.ts';
import { check, checkMs, type OrdersClientOptions } from './options.ts';
import { ConnectingSockets } from './sockets.ts';
import { tracedUpdateOperation, withTracing } from './tracing.ts';
import { undiciTransport } from './undici-transport.ts';

/**
 * Creates a client of the order service: one for the process, and `close` it at the end. Nothing is sent until the first
 * call. It sends over undici in Node and Deno, over `fetch` in Bun, workers, edge functions and browsers, and with
 * `@orders/client/fetch`.
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
    const platform = {
      measure: Buffer.byteLength,
      wrap: withTracing,
      validate: tracedUpdateOperation,
      compile,
    };
    const timeout = checkMs('timeouts.connect', options.timeouts?.connect ?? 5_000);
    const idle = checkMs('timeouts.idle', options.timeouts?.idle ?? 4_000);
    check(!options.fetch, 'fetch: this client sends over undici; use @orders/client/fetch.');
    const dispatcher = options.dispatcher as Dispatcher | undefined;
    check(
      !dispatcher || typeof dispatcher.dispatch === 'function',
      'dispatcher: pass a dispatcher of undici.',
    );
    if (dispatcher) return { ...platform, transport: undiciTransport(dispatcher), release: async () => {} };
    // Ending an HTTP/2 stream whose body has not left whole makes Node spin endlessly; HTTP/2 is opt-in.
    const connecting = new ConnectingSockets({ timeout, allowH2: false });
    const pool = new Pool(origin, {
      connect: connecting.connect,
      allowH2: false,
      keepAliveTimeout: idle,
      // What the service announces may shorten the time, and must not lengthen it.
      keepAliveMaxTimeout: idle,
    });
    const transport = undiciTransport(pool, connecting);
    return { ...platform, transport, release: () => pool.destroy() };
  });
}

const compilations = new WeakMap<OrderUpdateSchema, OrderUpdateSchema>();

/** Compiles a schema once, however many clients it serves. */
function compile(schema: OrderUpdateSchema): OrderUpdateSchema {
  const compiled = compilations.get(schema) ?? compileOrderUpdate(schema);
  compilations.set(schema, compiled);
  return compiled;
}
