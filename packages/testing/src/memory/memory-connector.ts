import type { Socket } from 'node:net';
import process from 'node:process';
import type { MemoryDoor } from './memory-door.ts';

/** What a connector is told, as undici tells it. */
export interface ConnectOptions {
  readonly hostname: string;
  readonly protocol: string;
}

/** How a connector answers: the error or the socket. */
export type ConnectCallback = (...connected: [null, Socket] | [Error, null]) => void;

/**
 * Opens connections for an undici `Agent`, `Client` or `Pool` as its option `connect`.
 *
 * TLS is left out on purpose: bytes that never leave the process need none.
 */
export type Connector = (options: ConnectOptions, callback: ConnectCallback) => void;

export function createConnector(origin: string, door: MemoryDoor): Connector {
  const { hostname: own } = new URL(origin);
  return ({ hostname }, callback) => {
    // undici is not ready for an answer within the call.
    process.nextTick(() => {
      try {
        if (hostname !== own) throw new TypeError(`Only ${origin} is served here, not the host ${hostname}.`);
        // undici asks of a socket what this one has; a test over a real agent holds it to that.
        callback(null, door.connect() as object as Socket);
      } catch (error) {
        callback(error instanceof Error ? error : new Error('The connection failed.'), null);
      }
    });
  };
}
