import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { startOrderService } from '@orders/testing';
import { certifyServer, createAuthority } from '../test/certificates.ts';
import { startRawServer } from '../test/raw-server.ts';
import { startTlsFront } from '../test/tls-front.ts';
import type { Places } from './context.ts';
import { startFaultServer } from './faults.ts';

/** Starts every server that the suite needs, on loopback; disposing of them ends them. */
export async function startPlaces(): Promise<Places & AsyncDisposable> {
  const faults = await startFaultServer();
  const service = await startOrderService();
  const stranger = await certifyServer(await createAuthority('Nobody knows it'));
  const front = await startTlsFront(service, stranger);
  const mute = await startRawServer(() => {});
  const servers: readonly AsyncDisposable[] = [mute, front, service, faults];
  const { url, key, token } = service;
  return {
    faults: faults.url,
    refused: `http://127.0.0.1:${await freePort()}`,
    forbidden: `http://localhost:${await freePort()}`,
    untrusted: front.url,
    speechless: mute.url.replace('http:', 'https:'),
    service: { url, key, token },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

/** A port that was free a moment ago: `fetch` does not go to those that are always closed, such as 1. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
