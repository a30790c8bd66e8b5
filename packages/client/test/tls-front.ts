import { connect } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import { listenOnLoopback } from './loopback.ts';

/** Terminates TLS before an HTTP service. */
export interface TlsFront extends AsyncDisposable {
  readonly url: string;
  readonly connections: number;
}

/** Starts one; with `requestCert` and `rejectUnauthorized` it requires client certificates. */
export async function startTlsFront(
  service: { readonly url: string },
  options: TlsOptions,
): Promise<TlsFront> {
  const port = Number(new URL(service.url).port);
  const server = createServer({ ALPNProtocols: ['http/1.1'], ...options }, (outer) => {
    const inner = connect(port, '127.0.0.1');
    outer.pipe(inner).pipe(outer);
    outer.on('error', () => inner.destroy());
    outer.on('close', () => inner.destroy());
    inner.on('error', () => outer.destroy());
  });
  const listener = await listenOnLoopback(server);
  return {
    url: `https://127.0.0.1:${listener.port}`,
    get connections() {
      return listener.connections;
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}
