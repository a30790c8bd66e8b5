import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { MemorySocket } from './memory-socket.ts';

/** The way to a server without a port. */
export interface MemoryDoor {
  /** The client's end of a new connection; throws as a refused one when the service is down. */
  connect(): MemorySocket;
  /** Ends every connection and refuses new ones for so many milliseconds. */
  restart(downMs: number): void;
  /** Ends every connection for good. */
  stop(): void;
}

export function openMemoryDoor(server: Server): MemoryDoor {
  const open = new Set<MemorySocket>();
  const stopping = new AbortController();
  let isDown = false;

  const endAll = () => {
    for (const socket of open) socket.destroy();
  };

  return {
    connect() {
      if (isDown || stopping.signal.aborted) {
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
      }
      const { near, far } = MemorySocket.pair();
      open.add(far);
      far.once('close', () => open.delete(far));
      // A server takes any stream that it is given so (Node's documentation of the event `connection`).
      server.emit('connection', far);
      return near;
    },
    restart(downMs) {
      isDown = true;
      endAll();
      const comeBack = () => {
        isDown = false;
      };
      // It ends by an abort when the service stops.
      delay(downMs, undefined, { signal: stopping.signal }).then(comeBack, () => {});
    },
    stop() {
      stopping.abort();
      endAll();
    },
  };
}
