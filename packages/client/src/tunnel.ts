import type { Socket } from 'node:net';
import { check } from './options.ts';

/** How connections to one origin go through a proxy. */
export interface Tunnel {
  readonly proxy: { readonly hostname: string; readonly host: string; readonly port: string };
  /** Host and port of the origin. */
  readonly target: string;
  /** The value of `Proxy-Authorization`. */
  readonly authorization: string | undefined;
}

/** @throws TypeError when the URL is wrong; the message shows nothing of it, since it may hold a password. */
export function parseProxy(input: string | URL, origin: string): Tunnel {
  const url = URL.parse(String(input));
  check(
    url?.protocol === 'http:' && url.pathname === '/' && !url.search && !url.hash,
    'proxy: write the http URL of a proxy, such as "http://proxy.internal:3128". Through it, https is end to end.',
  );
  const { host, port } = url;
  // Sockets take an IPv6 address without its brackets.
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const to = new URL(origin);
  return {
    proxy: { hostname, host, port: port || '80' },
    target: `${to.hostname}:${to.port || (to.protocol === 'https:' ? '443' : '80')}`,
    authorization: url.username || url.password ? toBasic(url) : undefined,
  };
}

function toBasic({ username, password }: URL): string {
  try {
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(login).toString('base64')}`;
  } catch {
    throw new TypeError('proxy: percent-encode the user and the password.');
  }
}

/**
 * Asks a proxy for a tunnel to the origin over a socket that is connected to it. Rejects when it refuses: with a
 * `TypeError` where another attempt would be refused, too.
 */
export function openTunnel(socket: Socket, { target, authorization }: Tunnel): Promise<void> {
  // An import would load all that Node's http reaches, its own undici too, with the client.
  const { request } = process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    const connect = request({
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(authorization && { 'proxy-authorization': authorization }) },
      createConnection: () => socket,
    });
    connect.once('error', reject);
    connect.once('connect', ({ statusCode = 0 }, _socket, head: Buffer) => {
      const isOpen = statusCode >= 200 && statusCode <= 299;
      // Neither HTTP nor TLS lets a server send first; undici would connect again and again.
      if (isOpen && head.length === 0) return resolve();
      socket.destroy();
      reject(isOpen ? new Error(earlyBytes) : refusal(statusCode));
    });
    connect.end();
  });
}

const earlyBytes =
  'bytes came from the proxy before a request. Check the URL of proxy, and whether the base URL names an HTTP service';

function refusal(status: number): Error {
  const message = `the proxy refused the connection with status ${status}`;
  if (status === 407) return new TypeError(`${message}. Write its user and password in the URL of proxy`);
  const isFinal = status < 500 && status !== 408 && status !== 429;
  return isFinal ? new TypeError(message) : new Error(message);
}
