import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { createRequire } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';
import { promisify } from 'node:util';

const undici = createRequire(new URL('../packages/client/package.json', import.meta.url))('undici');

/** A way to talk to a host; resolves once something came back, or was sent where nothing comes back. */
type Way = (host: string, port: number) => Promise<unknown>;

function urlOf(scheme: string, host: string, port: number): string {
  return `${scheme}://${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
}

async function arrive(socket: net.Socket | http2.ClientHttp2Session, event = 'connect'): Promise<void> {
  await once(socket, event);
  socket.destroy();
}

async function answered(request: http.ClientRequest): Promise<void> {
  const [response]: http.IncomingMessage[] = await once(request, 'response');
  response?.resume();
}

/** Sends by UDP, connected or not, and leaves no socket behind. */
async function sendDatagram(host: string, port: number, isConnected: boolean): Promise<void> {
  const socket = createSocket(net.isIPv6(host) ? 'udp6' : 'udp4');
  try {
    if (isConnected) {
      socket.connect(port, host);
      await once(socket, 'connect');
      await promisify((done: (error: Error | null) => void) => socket.send('x', done))();
    } else await promisify((done: (error: Error | null) => void) => socket.send('x', port, host, done))();
  } finally {
    socket.close();
  }
}

/** What leads to a host by TCP. */
export const tcpWays: Readonly<Record<string, Way>> = {
  fetch: (host, port) => fetch(urlOf('http', host, port)),
  'fetch over TLS': (host, port) => fetch(urlOf('https', host, port)),
  'http.get': (host, port) => answered(http.get({ host, port, agent: false })),
  'https.get': (host, port) => answered(https.get({ host, port, agent: false })),
  'http2.connect': (host, port) => arrive(http2.connect(urlOf('http', host, port))),
  'http2.connect over TLS': (host, port) => arrive(http2.connect(urlOf('https', host, port))),
  'net.connect': (host, port) => arrive(net.connect({ host, port })),
  'net.connect with a port first': (host, port) => arrive(net.connect(port, host)),
  'Socket.connect': (host, port) => arrive(new net.Socket().connect(port, host)),
  'tls.connect': (host, port) => arrive(tls.connect({ host, port }), 'secureConnect'),
  'undici.request': (host, port) => undici.request(urlOf('http', host, port)),
  'undici.request over TLS': (host, port) => undici.request(urlOf('https', host, port)),
};

/** What leads to a host by UDP. */
export const udpWays: Readonly<Record<string, Way>> = {
  'send of dgram': (host, port) => sendDatagram(host, port, false),
  'connect of dgram': (host, port) => sendDatagram(host, port, true),
};

/** What looks for the address of a name where the operating system does. */
export const lookupWays: Readonly<Record<string, Way>> = {
  'dns.lookup': promisify(dns.lookup),
  'dns.promises.lookup': (name) => dns.promises.lookup(name),
};

type Asking = Readonly<
  Record<string, (name: string, done?: (error: Error | null) => void) => Promise<unknown>>
>;

/** What asks a name server, in every form that Node has. */
const queryWays: Readonly<Record<string, Way>> = Object.fromEntries(
  [
    { prefix: 'dns', owner: dns, isPromised: false },
    { prefix: 'Resolver', owner: new dns.Resolver(), isPromised: false },
    { prefix: 'dns.promises', owner: dns.promises, isPromised: true },
    { prefix: 'promises.Resolver', owner: new dns.promises.Resolver(), isPromised: true },
  ].flatMap(({ prefix, owner, isPromised }) => {
    const asking = owner as unknown as Asking;
    const methods = Object.keys(dns).filter((name) => /^(?:resolve|reverse)/.test(name));
    return methods.map((method): [string, Way] => {
      const ask = asking[method]?.bind(owner);
      if (!ask) throw new TypeError(`${prefix} has no ${method}`);
      return [`${prefix}.${method}`, isPromised ? (name) => ask(name) : (name) => promisify(ask)(name)];
    });
  }),
);

/** What asks a name server for the name of an address. */
export const serviceWays: Readonly<Record<string, Way>> = {
  'dns.lookupService': promisify(dns.lookupService),
  'dns.promises.lookupService': (address, port) => dns.promises.lookupService(address, port),
};

/** Hosts that no test may talk to: addresses and names, one of them close to loopback. */
export const outside = [
  '192.0.2.1',
  '::ffff:c000:201',
  '2001:db8::1',
  '126.255.255.255',
  '128.0.0.0',
  '0.0.0.0',
  'example.com',
  'localhost.example.com',
] as const;

/** Takes every way to every such host; resolves with those that were not refused. */
export async function findWaysOut(): Promise<readonly string[]> {
  const [addresses, names] = [outside.filter(net.isIP), outside.filter((host) => !net.isIP(host))];
  const attempts = [
    ...pair({ ...tcpWays, ...udpWays }, outside),
    ...pair({ ...lookupWays, ...queryWays }, names),
    ...pair(serviceWays, addresses),
  ];
  const open = attempts.map(async ([name, host, way]) => {
    const codes = await way(host, 443).then((): readonly unknown[] => [], codesOf);
    return codes.includes('ERR_NOT_LOOPBACK') ? [] : [`${name} ${host}: ${codes}`];
  });
  return (await Promise.all(open)).flat();
}

function pair(ways: Readonly<Record<string, Way>>, hosts: readonly string[]) {
  return Object.entries(ways).flatMap(([name, way]) => hosts.map((host) => [name, host, way] as const));
}

/** The codes of an error and of what caused it. */
export function codesOf(error: unknown): readonly unknown[] {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return cause === undefined ? [code] : [code, ...codesOf(cause)];
}
