import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Free ports, below those that the system gives out: no other server or connection of a test gets one of them, so it stays
 * free, and what was there before is refused once it is closed. Until the process ends, its UDP port of the same number is
 * taken, so that no other process takes it for free before the server of the first has started.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let failures = 0; ports.size < count; ) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const mark = createSocket('udp4').unref();
    const server = createServer();
    try {
      mark.bind(port, '127.0.0.1');
      await once(mark, 'listening');
      await once(server.listen(port, '127.0.0.1'), 'listening');
      ports.add(port);
      await once(server.close(), 'close');
    } catch (error) {
      mark.close();
      // Another program has it, unless none can be had.
      if (++failures > 100) throw error;
    }
  }
  return [...ports];
}

/** One of them. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}
