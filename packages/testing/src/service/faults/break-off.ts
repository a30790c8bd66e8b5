import type { Socket } from 'node:net';
import type { FaultsByPlace } from './fault.ts';

/** Does what the fault does instead of answering; `restart` begins a restart of the whole service. */
export function breakOff(
  fault: FaultsByPlace['body'],
  socket: Socket,
  restart: (downMs: number) => void,
): void {
  switch (fault.fault) {
    case 'reset_before_applying':
    case 'reset_after_applying':
      socket.resetAndDestroy();
      return;
    case 'garbage':
      socket.write(fault.text ?? 'SSH-2.0-OpenSSH_9.9\r\n', 'latin1');
      socket.destroySoon();
      return;
    case 'restart':
      restart(fault.downMs ?? 100);
      return;
    case 'stalled_headers':
      // An answer that nobody sends is all there is to do.
      return;
  }
}
