import { OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import { Agent, type Dispatcher } from 'undici';
import { ConnectingSockets } from './connecting-sockets.ts';
import { type OrdersConnection, openConnection } from './connection.ts';
import { type ConnectionOptions, checkMs, type Timeouts } from './settings.ts';
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
  };
  /**
   * An undici dispatcher of yours, for proxies, mTLS, interceptors or mocks. `timeouts.connect` is then its own, and
   * `close` leaves it open.
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
    if (options.dispatcher) return runtimeOf(options.dispatcher, async () => {});
    // Ending an HTTP/2 stream whose body has not left whole makes Node spin for ever; HTTP/2 is for who asks for it.
    const connecting = new ConnectingSockets({ timeout, allowH2: false });
    const agent = new Agent({ connect: connecting.connect, allowH2: false });
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
