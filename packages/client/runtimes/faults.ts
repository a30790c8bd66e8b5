import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';

/** What one request does to the service; `count` tells how many of its kind have arrived, itself included. */
type Fault = (socket: Socket, count: number, request: string) => void;

const ok = httpAnswer(200, {}, '{"ok":true}');
const status = (code: number, headers?: Record<string, string>, body?: string): Fault => {
  const bytes = httpAnswer(code, headers, body);
  return (socket) => socket.write(bytes);
};

/** Each fault is the first segment of a base URL's path. */
const faults: Readonly<Record<string, Fault>> = {
  ok: status(200, {}, '{"ok":true}'),
  cookie: status(200, { 'set-cookie': 'session=1' }, '{}'),
  html: status(200, { 'content-type': 'text/html' }, '<p>Welcome</p>'),
  'not-json': status(200, {}, '{"a"'),
  empty: status(200),
  204: (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
  302: status(302, { location: '/ok/elsewhere' }),
  401: status(401, { 'www-authenticate': 'Basic realm="orders"' }),
  404: status(404),
  '404-page': status(404, { 'content-type': 'text/html' }, '<!doctype html><title>Not found</title>'),
  407: status(407, { 'proxy-authenticate': 'Basic realm="proxy"' }),
  408: status(408),
  421: status(421),
  500: status(500),
  'later-429': (socket, count) => socket.write(count > 1 ? ok : httpAnswer(429, { 'retry-after': '0' })),
  'later-503': (socket, count) => socket.write(count > 1 ? ok : httpAnswer(503, { 'retry-after': '0' })),
  'much-later': status(429, { 'retry-after': '60' }),
  cut: (socket) => socket.end(httpAnswer(200, { 'content-length': '99' }, '{"a":')),
  'cut-chunks': (socket) =>
    socket.end(
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n3\r\n123\r\n',
    ),
  large: status(200, {}, JSON.stringify('x'.repeat(100_000))),
  zipped: (socket) => socket.write(zipped('{"ok":true}')),
  bomb: (socket) => socket.write(zipped(`"${' '.repeat(20_000_000)}"`)),
  silent: () => {},
  stalls: (socket) => socket.write(httpAnswer(200, { 'content-length': '99' }, '{"a":')),
  closes: (socket) => socket.end(),
  resets: (socket) => socket.resetAndDestroy(),
  'resets-updates': (socket, _count, request) =>
    request.startsWith('GET') ? socket.write(ok) : socket.resetAndDestroy(),
  'resets-once': (socket, count) => (count > 1 ? socket.write(ok) : socket.resetAndDestroy()),
  garbage: (socket) => socket.end('220 mail.example ESMTP\r\n\r\n'),
  echo: (socket, _count, request) => {
    const authorization = /^authorization: (.*)\r$/im.exec(request)?.[1] ?? '';
    const key = Buffer.from(authorization.slice('Basic '.length), 'base64').toString();
    socket.write(httpAnswer(400, { 'x-echo': authorization }, JSON.stringify({ authorization, key })));
  },
};

function zipped(text: string): Buffer {
  const body = gzipSync(text);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** One request as it arrived. */
export interface Arrival {
  readonly method: string;
  /** The path after the base URL. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Starts a server for base URLs such as `<url>/<fault>/<id>`; `<url>/arrived/<id>` answers with what has arrived for
 * an id, so that a runtime without sockets can ask.
 */
export async function startFaultServer() {
  const arrived = new Map<string, Arrival[]>();
  return startRawServer((socket, request) => {
    const { method, fault, id, ...arrival } = parse(request);
    const before = arrived.get(id) ?? [];
    if (fault === 'arrived') {
      socket.write(httpAnswer(200, {}, JSON.stringify(before)));
      return;
    }
    arrived.set(id, [...before, { method, ...arrival }]);
    faults[fault]?.(socket, before.length + 1, request);
  });
}

function parse(request: string): Arrival & { readonly fault: string; readonly id: string } {
  const end = request.indexOf('\r\n\r\n');
  const [start = '', ...lines] = request.slice(0, end).split('\r\n');
  const [method = '', target = ''] = start.split(' ');
  const [, fault = '', id = '', path = ''] = /^\/([^/]*)\/([^/]*)(.*)$/.exec(target) ?? [];
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const body = Buffer.from(request.slice(end + 4), 'latin1').toString();
  return { method, fault, id, path, headers: Object.fromEntries(headers), body };
}
