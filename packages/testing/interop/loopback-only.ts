/** Preloaded into every Node process here: a connection to anything but this machine is refused, and told. */
import { Socket } from 'node:net';
import process from 'node:process';

/** What a refusal is told by on standard error, since a peer may swallow what is thrown. */
export const refusal = 'Refused to leave this machine:';

// A proxy would be another machine.
process.env['NO_PROXY'] = '*';
process.env['no_proxy'] = '*';

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;
const connect = Socket.prototype.connect;

Object.defineProperty(Socket.prototype, 'connect', {
  configurable: true,
  writable: true,
  value(this: Socket, ...given: readonly unknown[]): Socket {
    const host = hostOf(given);
    if (host !== undefined && !loopback.test(host)) {
      process.stderr.write(`${refusal} ${host}\n`);
      throw new Error(`${refusal} ${host}`);
    }
    return Reflect.apply(connect, this, given);
  },
});

/** `net.connect` hands over its arguments as one list, others hand them over as they are. */
function hostOf(given: readonly unknown[]): string | undefined {
  const [first, second]: readonly unknown[] = Array.isArray(given[0]) ? given[0] : given;
  const host = typeof first === 'object' && first !== null && 'host' in first ? first.host : second;
  return typeof host === 'string' ? host : undefined;
}
