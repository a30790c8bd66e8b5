import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { freePort } from '../../../.ci/free-ports.ts';
import { certifyServer, createAuthority } from '../../../packages/client/test/certificates.ts';
import { listenOnLoopback } from '../../../packages/client/test/loopback.ts';

/** Origins on loopback; plain data, so that another process can have them. */
export interface Service {
  /** Serves base URLs such as `<origin>/<fault>/<id>`, and at `<origin>/arrived/<id>` the requests of an id. */
  readonly healthy: string;
  /** Nothing listens here. */
  readonly refused: string;
  /** Nothing listens here either, at a host that is not in Deno's `--allow-net`. */
  readonly forbidden: string;
  /** The same faults behind a certificate of an unknown authority. */
  readonly untrusted: string;
  /** Accepts connections and never completes a TLS handshake. */
  readonly silentTls: string;
}

/** One request as it arrived. */
export interface Arrival {
  readonly method: string;
  /** The path after the base URL. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Responds to a request, or fails to; `count` counts the requests of its id, this one included. */
type Fault = (response: ServerResponse, count: number, arrival: Arrival) => unknown;

function respond(status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): Fault {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

const json = respond(200, { 'x-request-id': 'request-1' }, '{"ok":true}');
const reset: Fault = ({ socket }) => socket?.resetAndDestroy();
const gzip = { 'content-encoding': 'gzip' };

const faults: Readonly<Record<string, Fault>> = {
  json,
  cookie: respond(200, { 'set-cookie': 'session=1' }, '{}'),
  html: respond(200, { 'content-type': 'text/html' }, '<p>Welcome</p>'),
  'not-json': respond(200, {}, '{"a"'),
  large: respond(200, {}, JSON.stringify('x'.repeat(100_000))),
  gzip: respond(200, gzip, gzipSync('{"ok":true}')),
  bomb: respond(200, gzip, gzipSync(`"${' '.repeat(20_000_000)}"`)),
  204: (response) => response.writeHead(204).end(),
  302: respond(302, { location: '/json/elsewhere' }),
  401: respond(401, { 'www-authenticate': 'Basic realm="orders"' }),
  407: respond(407, { 'proxy-authenticate': 'Basic realm="proxy"' }),
  408: respond(408),
  421: respond(421),
  503: respond(503, { 'retry-after': '0' }),
  '429-once': (response, count, arrival) =>
    (count > 1 ? json : respond(429, { 'retry-after': '0' }))(response, count, arrival),
  echo: (response, count, arrival) => {
    const { authorization = '' } = arrival.headers;
    const key = Buffer.from(authorization.slice('Basic '.length), 'base64').toString();
    const body = JSON.stringify({ authorization, key });
    respond(400, { 'x-echo': authorization }, body)(response, count, arrival);
  },
  silent: () => {},
  stalls: (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":'),
  cut: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' });
    response.write('{"a":', () => response.socket?.end());
  },
  'cut-between-chunks': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"a":', () => response.socket?.end());
  },
  closes: ({ socket }) => socket?.end(),
  'no-http': ({ socket }, _count, { headers }) => socket?.end(`220 ${headers.authorization}\r\n\r\n`),
  resets: reset,
  'resets-once': (response, count, arrival) => (count > 1 ? json : reset)(response, count, arrival),
  'resets-updates': (response, count, arrival) =>
    (arrival.method === 'GET' ? json : reset)(response, count, arrival),
};

/** Starts every server that the cases need; disposing of it stops them. */
export async function startService(): Promise<Service & AsyncDisposable> {
  const arrived = new Map<string, Arrival[]>();
  const serve: RequestListener = async (request, response) => {
    const { method = '', url = '', headers } = request;
    const [, fault = '', id = '', path = ''] = /^\/([^/]*)\/([^/]*)(.*)$/.exec(url) ?? [];
    const arrivals = arrived.get(id) ?? [];
    if (fault === 'arrived') return response.end(JSON.stringify(arrivals));
    arrived.set(id, arrivals);
    const arrival = { method, path, headers, body: Buffer.concat(await request.toArray()).toString() };
    return faults[fault]?.(response, arrivals.push(arrival), arrival);
  };
  const stranger = await certifyServer(await createAuthority('An unknown authority'));
  const plain = await listenOnLoopback(createServer(serve));
  const tls = await listenOnLoopback(createTlsServer(stranger, serve));
  const silent = await listenOnLoopback(createTcpServer());
  // `fetch` refuses ports such as 1 by itself.
  const closed = await freePort();
  return {
    healthy: `http://127.0.0.1:${plain.port}`,
    refused: `http://127.0.0.1:${closed}`,
    forbidden: `http://localhost:${closed}`,
    untrusted: `https://127.0.0.1:${tls.port}`,
    silentTls: `https://127.0.0.1:${silent.port}`,
    async [Symbol.asyncDispose]() {
      await Promise.all([plain, tls, silent].map((listener) => listener[Symbol.asyncDispose]()));
    },
  };
}
