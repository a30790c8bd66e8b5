interface DenoHttpClient {
  close(): void;
}

interface DenoGlobal {
  readonly createHttpClient?: (options: object) => DenoHttpClient;
}

/** What makes a runtime's `fetch` send a request once, and how to free it. */
export interface SingleSending {
  readonly fields: object;
  readonly release: () => Promise<void>;
}

/**
 * Keeps a runtime from sending an update twice. When a connection that was kept open breaks before the answer, Deno
 * and Bun before 1.4 send again by themselves, whatever the method and even after the service has read all of it; Bun
 * still does so for GET. A request with a connection of its own is sent once: in Bun that is what `keepalive: false`
 * means, which is the default elsewhere, and in Deno a client that keeps no connection and no HTTP/2 stream.
 */
export function sendOnce(): SingleSending {
  const { Deno } = globalThis as { Deno?: DenoGlobal };
  const client = Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0, http2: false });
  const fields = { keepalive: false, ...(client && { client }) };
  return { fields, release: async () => client?.close() };
}
