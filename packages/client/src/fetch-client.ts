import type { OrderUpdate } from '@orders/schema';
import { createClient, type OrdersClient } from './client.ts';
import { fetchTransport } from './fetch-transport.ts';
import { check, checkFunction, type OrdersClientOptions } from './options.ts';

/** `createOrdersClient` where undici does not run, or with `@orders/client/fetch`; documented in undici-client.ts. */
export function createOrdersClient<Update extends OrderUpdate = OrderUpdate, Data = unknown>(
  options: OrdersClientOptions<Update, Data>,
): OrdersClient<Update, Data> {
  return createClient(options, 'fetch', () => {
    // Looked up for each request, so that a replacement by a test or a platform counts.
    const {
      dispatcher,
      tls,
      proxy,
      maxConnections,
      timeouts,
      fetch = (url, init) => globalThis.fetch(url, init),
    } = options;
    check(
      (dispatcher ?? tls ?? proxy ?? maxConnections ?? timeouts?.connect ?? timeouts?.idle) === undefined,
      'dispatcher, tls, proxy, maxConnections, timeouts.connect, timeouts.idle: this client sends over fetch, which has none.',
    );
    checkFunction('fetch', fetch);
    const { init, release } = singleSendInit();
    const initOf = (signal: AbortSignal) => ({ ...privateInit(), ...nodeInit(signal), ...init });
    return { transport: fetchTransport(fetch, initOf), release };
  });
}

/**
 * Fields that keep caches and cookies out. A runtime may refuse a field that it does not know, as Cloudflare's does,
 * so only those that its `Request` has are set.
 */
function privateInit(): object {
  const { prototype } = Request;
  return {
    ...('cache' in prototype && { cache: 'no-store' }),
    ...('credentials' in prototype && { credentials: 'omit' }),
  };
}

/** undici inside Node, whose `fetch` takes a dispatcher. */
interface NodeDispatcher {
  dispatch(options: unknown, handler: { readonly abort?: (reason: unknown) => void }): unknown;
}

/**
 * Keeps a response from ending the process, or from keeping it alive. Node's `fetch` makes a stream of a response's body.
 * Where it refuses the response, as with more than five content encodings, nothing handles the errors of that stream: the
 * first one, as when the connection breaks, would be thrown. Nor does it listen to the signal any more.
 */
function nodeInit(signal: AbortSignal): object {
  const key = Symbol.for('undici.globalDispatcher.1');
  // What `setGlobalDispatcher` has set last, such as a proxy's.
  const dispatcher = (globalThis as { [key]?: NodeDispatcher })[key];
  if (!dispatcher) return {};
  const dispatch: NodeDispatcher['dispatch'] = (options, handler) => {
    let body: unknown;
    Object.defineProperty(handler, 'body', {
      get: () => body,
      set(stream: NodeJS.EventEmitter | null) {
        body = stream;
        stream?.on?.('error', () => {});
      },
    });
    signal.addEventListener('abort', () => handler.abort?.(signal.reason));
    return dispatcher.dispatch(options, handler);
  };
  return { dispatcher: { dispatch } };
}

interface DenoHttpClient {
  close(): void;
}

interface DenoGlobal {
  readonly createHttpClient?: (options: object) => DenoHttpClient;
}

/**
 * Keeps a runtime from sending an update twice. When a reused connection breaks before the response, Deno and Bun before
 * 1.4 send again by themselves, whatever the method and even after the service has read all of it; Bun still does so for
 * GET. A request with a connection of its own is sent once: in Bun that is what `keepalive: false` means, which is the
 * default elsewhere, and in Deno a client that keeps no connection and no HTTP/2 stream.
 */
function singleSendInit(): { readonly init: object; readonly release: () => Promise<void> } {
  const { Deno } = globalThis as { Deno?: DenoGlobal };
  const client = Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0, http2: false });
  return { init: { keepalive: false, ...(client && { client }) }, release: async () => client?.close() };
}
