import { OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import { Agent, type Dispatcher } from 'undici';
import { checkMs } from './check.ts';
import { ConnectingSockets } from './connecting-sockets.ts';
import { type OrdersConnection, openConnection } from './connection.ts';
import type { ConnectionOptions, Timeouts } from './settings.ts';
import { traced } from './tracing.ts';
import { undiciTransport } from './undici-transport.ts';

/** Options of a client in Node. */
export interface OrdersClientOptions<Update extends OrderUpdate = OrderUpdate>
  extends ConnectionOptions<Update> {
  readonly timeouts?: Timeouts & {
    /**
     * Connecting, TLS included. It belongs to the client, since calls share connections.
     * @default 5_000
     */
    readonly connect?: number;
    /**
     * How long an idle connection may be used again. Whoever closes first must not be the service: an update that meets
     * a connection just closed is `unknown`, so set it below the idle timeout of the service and of every proxy before
     * it. A `Keep-Alive: timeout=n` of the service shortens it, to 2 s before that time.
     * @default 4_000
     */
    readonly idle?: number;
  };
  /**
   * An undici dispatcher of yours, for proxies, mTLS, interceptors or mocks. `timeouts.connect` and `timeouts.idle` are
   * then its own, and `close` leaves it open. It must send each request once, and call `onRequestStart` before its first
   * byte. The client's own agent resets the connection of a request that is given up; another dispatcher ends it, so the
   * kernel may still deliver that request.
   */
  readonly dispatcher?: Dispatcher;
}

/**
 * Connects the endpoint functions to a service over undici. Nothing is sent until the first call.
 *
 * @throws TypeError when an option is missing or out of range; the message says what to write.
 */
export function createConnection<Update extends OrderUpdate = OrderUpdate>(
  options: OrdersClientOptions<Update>,
): OrdersConnection<Update> {
  const schema = compiled(options.schema ?? (OrderUpdate as unknown as OrderUpdateSchema<Update>));
  return openConnection({ ...options, schema }, () => {
    const timeout = checkMs('timeouts.connect', options.timeouts?.connect ?? 5_000);
    const idle = checkMs('timeouts.idle', options.timeouts?.idle ?? 4_000);
    if (options.dispatcher) return runtimeOf(options.dispatcher, async () => {});
    // Ending an HTTP/2 stream whose body has not left whole makes Node spin endlessly; HTTP/2 is opt-in.
    const connecting = new ConnectingSockets({ timeout, allowH2: false });
    const agent = new Agent({
      connect: connecting.connect,
      allowH2: false,
      keepAliveTimeout: idle,
      // What the service announces may shorten the time, and must not lengthen it.
      keepAliveMaxTimeout: idle,
    });
    return runtimeOf(agent, () => agent.destroy(), connecting);
  });
}

function runtimeOf(dispatcher: Dispatcher, release: () => Promise<void>, connecting?: ConnectingSockets) {
  return {
    transport: undiciTransport(dispatcher, connecting),
    outermost: traced,
    byteLength: Buffer.byteLength,
    release,
  };
}

const compilations = new WeakMap<object, unknown>();

/** Compiles a schema once, however many clients it serves. */
function compiled<Update extends OrderUpdate>(schema: OrderUpdateSchema<Update>): OrderUpdateSchema<Update> {
  const known = compilations.get(schema) as OrderUpdateSchema<Update> | undefined;
  if (known) return known;
  const compilation = compileOrderUpdate(schema);
  compilations.set(schema, compilation);
  return compilation;
}
