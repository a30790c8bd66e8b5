/** A setup file of vitest: the test process reaches loopback only, and a test that tries more fails, even if it catches the error. */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import process from 'node:process';
import { afterEach } from 'vitest';

const shared = globalThis as { refusedHosts?: string[] };
const isInstalled = shared.refusedHosts !== undefined;
shared.refusedHosts ??= [];
/** The hosts refused since the last test; a test that means to be refused empties the list. */
export const refusedHosts: string[] = shared.refusedHosts;

const loopback = new net.BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

// A process runs many test files, and each runs this file.
if (!isInstalled) {
  guardConnections();
  guardNames();
  syncBuiltinESMExports();
}

afterEach(() => {
  const hosts = refusedHosts.splice(0);
  if (hosts.length > 0) throw new Error(`Tests reach loopback only. Refused: ${hosts.join(', ')}`);
});

function refuse(host: string): Error {
  refusedHosts.push(host);
  return Object.assign(new Error(`${host} is not loopback`), { code: 'ERR_NOT_LOOPBACK' });
}

/** TLS, HTTP, fetch and undici connect here. */
function guardConnections(): void {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
    const [first, second] = args.flat() as [{ host?: unknown } | number, unknown];
    const judge = (host: unknown): void => {
      if (typeof host !== 'string' || !net.isIP(host)) return;
      if (!loopback.check(host, net.isIPv6(host) ? 'ipv6' : 'ipv4')) this.destroy(refuse(host));
    };
    // Before Node connects, which it does one tick later, or after a lookup of the caller's own.
    process.nextTick(judge, typeof first === 'object' ? first.host : second);
    this.on('lookup', (_error, address) => judge(address));
    return Reflect.apply(connect, this, args);
  };
}

/** Names below `localhost` are loopback, `invalid` does not exist (RFC 6761); no name server is asked for any other. */
function guardNames(): void {
  const { lookup } = dns;
  const guarded = (name: string, ...rest: unknown[]): unknown => {
    if (!name || net.isIP(name)) return Reflect.apply(lookup, dns, [name, ...rest]);
    if (/(?:^|\.)localhost\.?$/i.test(name)) return Reflect.apply(lookup, dns, ['localhost', ...rest]);
    const isInvalid = /(?:^|\.)invalid\.?$/i.test(name);
    const error = isInvalid
      ? Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
      : refuse(name);
    process.nextTick(rest.at(-1) as () => void, error);
    return {};
  };
  dns.lookup = Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(lookup)) as typeof lookup;
}
