/**
 * Runs in a network namespace of its own. It drops all packets to a server, lets updates with an old cart time out, stops
 * dropping, sends the same orders a new cart, and prints as JSON what the server applied and in which order.
 */
import { execFile } from 'node:child_process';
import { createServer as createTcpServer, type Socket } from 'node:net';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import {
  type Certificate,
  certifyServer,
  createAuthority,
} from '../../../packages/client/test/certificates.ts';
import { listenOnLoopback } from '../../../packages/client/test/loopback.ts';
import { httpAnswer } from '../../../packages/client/test/raw-server.ts';
import { Sandbox } from '../proxies/proxies.ts';
import { createRoutes, type Route } from './routes.ts';

/** What became of the updates with the old cart, by route and by how the client closes their connections. */
export interface LostPackets {
  readonly route: string;
  readonly close: 'FIN' | 'RST';
  readonly unknown: number;
  /** Applied although the call had ended. */
  readonly appliedLate: number;
  /** Applied after the new cart of the same order. */
  readonly overtaken: number;
}

const orderCount = 60;
/** Between the second and the third time that the kernel sends a lost packet again, after about 0.6 s and 1.4 s. */
const attemptMs = 700;
/** The third time has passed by then. */
const settleMs = 4_000;
const tokens = Array.from({ length: orderCount }, (_, index) => `order_${index}`);
const run = promisify(execFile);

function sendAll(orders: OrdersClient, sku: string, attempt: number) {
  const update = { cart: { items: [{ sku }] } };
  return Promise.all(tokens.map((token) => orders.safeUpdateOrder(token, update, { timeouts: { attempt } })));
}

/** Starts a server that notes the carts of each order in the sequence in which they arrive. */
async function startServer(scheme: Route['scheme'], certificate: Certificate) {
  const applied = new Map<string, string[]>(tokens.map((token) => [token, []]));
  const accept = (socket: Socket): void => {
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk;
      const [, token = '', sku = ''] = /orders\/(\w+) .*"sku":"(\w+)"}]}}$/s.exec(received) ?? [];
      if (token === '') return;
      applied.get(token)?.push(sku);
      received = '';
      socket.write(httpAnswer(200, {}, '{}'));
    });
  };
  const server =
    scheme === 'https'
      ? createTlsServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, accept)
      : createTcpServer(accept);
  return Object.assign(await listenOnLoopback(server), { applied });
}

async function losePackets(
  { name, scheme, open }: Route,
  close: LostPackets['close'],
  certificate: Certificate,
): Promise<LostPackets> {
  await using server = await startServer(scheme, certificate);
  await using sandbox = new Sandbox();
  const { baseUrl, port, options, createDispatcher } = await open(server.port, sandbox);
  const rule = ['INPUT', '-p', 'tcp', '--dport', String(port), '-j', 'DROP'];
  const dispatcher = close === 'FIN' ? createDispatcher() : undefined;
  await using orders = createOrdersClient({
    baseUrl,
    apiKey: 'swordfish-swordfish',
    retry: { maxAttempts: 1 },
    ...(dispatcher ? { dispatcher } : options),
  });
  // So that each order has a connection that stands.
  await sendAll(orders, 'first', 10_000);
  await run('iptables', ['-A', ...rule]);
  const old = await sendAll(orders, 'old', attemptMs);
  await run('iptables', ['-D', ...rule]);
  await sendAll(orders, 'new', 10_000);
  await delay(settleMs);
  await dispatcher?.destroy();
  const carts = [...server.applied.values()];
  if (carts.some((skus) => !skus.includes('new'))) throw new Error('A new cart was not applied.');
  return {
    route: name,
    close,
    unknown: old.filter(({ error }) => error?.outcome === 'unknown').length,
    appliedLate: carts.filter((skus) => skus.includes('old')).length,
    overtaken: carts.filter((skus) => skus.lastIndexOf('old') > skus.indexOf('new')).length,
  };
}

const authority = await createAuthority('Authority of lost-packets.ts');
const certificate = await certifyServer(authority);
setDefaultCACertificates([authority.cert]);
const rows: LostPackets[] = [];
for (const route of createRoutes(authority, certificate))
  for (const close of ['FIN', 'RST'] as const) rows.push(await losePackets(route, close, certificate));
process.stdout.write(JSON.stringify(rows));
