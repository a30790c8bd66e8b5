interface DenoHttpClient {
  close(): void;
}

interface DenoGlobal {
  readonly createHttpClient?: (options: object) => DenoHttpClient;
}

/** What Deno's `fetch` needs to send a request once, and how to free it; nothing in other runtimes. */
export interface SingleSending {
  readonly fields: object;
  readonly release: () => void;
}

/**
 * Keeps Deno from sending an update twice: its `fetch` repeats a request, whatever its method, when a connection that
 * was kept open breaks before the answer, even after the service has read all of it. A client that keeps no
 * connection open has none to break; without HTTP/2 it has no stream to repeat either.
 */
export function sendOnceInDeno(): SingleSending {
  const { Deno } = globalThis as { Deno?: DenoGlobal };
  const client = Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0, http2: false });
  return client ? { fields: { client }, release: () => client.close() } : { fields: {}, release: () => {} };
}
