import { connect } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import { listenOnLoopback } from './loopback.ts';

/**
 * Starts a server that terminates TLS before an HTTP service; with `requestCert` and `rejectUnauthorized` it requires
 * client certificates.
 */
export async function startTlsFront(service: { readonly url: string }, options: TlsOptions) {
  const port = Number(new URL(service.url).port);
  const server = createServer({ ALPNProtocols: ['http/1.1'], ...options }, (outer) => {
    const inner = connect(port, '127.0.0.1');
    outer.pipe(inner).pipe(outer);
    outer.on('error', () => inner.destroy());
    outer.on('close', () => inner.destroy());
    inner.on('error', () => outer.destroy());
  });
  const listener = await listenOnLoopback(server);
  return Object.assign(listener, { url: `https://127.0.0.1:${listener.port}` });
}
