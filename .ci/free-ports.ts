import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports that were free a moment ago, below those that the system gives out: no other server or connection of a test gets
 * one of them, so it stays free, and what was there before is refused once it is closed.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
      ports.add(port);
      await once(server.close(), 'close');
    } catch (error) {
      // Another program has it, unless none can be had.
      if (tries > 100) throw error;
    }
  }
  return [...ports];
}

/** One of them. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}
