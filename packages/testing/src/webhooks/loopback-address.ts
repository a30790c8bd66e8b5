import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Whether an IP address leads nowhere but to this machine: `127.0.0.0/8` or `::1`, mapped into IPv6 or not. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  return loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** A connection that was refused before it began, since it would have left this machine. */
export class NotLoopbackError extends TypeError {
  constructor(host: string) {
    super(
      `${host} is not an address of this machine alone; set webhooks.anyAddress to call it all the same.`,
    );
  }
}

/** Throws for a host that is an IP address outside this machine; a name is judged by what it resolves to. */
export function refuseOtherAddress(host: string): void {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 && !isLoopbackAddress(address)) throw new NotLoopbackError(host);
}

/**
 * Resolves names as `lookup` does, and fails where a single address lies outside this machine.
 *
 * The connection is made to the very addresses judged here, so a name cannot change in between.
 */
export function createLoopbackLookup(lookup: LookupFunction): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const addresses = typeof found === 'string' ? [] : found;
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isLoopbackAddress(address))) {
        callback(new NotLoopbackError(host), []);
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
