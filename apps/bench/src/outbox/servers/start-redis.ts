import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { cpuOf } from '../cpu-of.ts';

/** A Redis of our own, on loopback, with its data in a folder that is deleted with it. */
export interface RedisServer extends AsyncDisposable {
  readonly address: string;
  readonly version: string;
  /** Forgets everything. */
  clear(): Promise<void>;
  /** CPU time so far, in milliseconds. */
  cpuMs(): Promise<number | undefined>;
}

/** Starts the `redis-server` of the PATH, which writes what it is told to the disk each second; undefined without one. */
export async function startRedis(): Promise<RedisServer | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-redis-'));
  const port = await findFreePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
  };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'ignore'] });
  const stop = async (): Promise<void> => {
    await end(server);
    await rm(folder, { recursive: true, force: true });
  };
  if (!(await isReady(server))) {
    await stop();
    return undefined;
  }
  const address = `redis://127.0.0.1:${port}`;
  const connection = new Redis(address);
  connection.on('error', () => {});
  const facts = await connection.info('server');
  return {
    address,
    version: /redis_version:(\S+)/.exec(facts)?.[1] ?? '',
    async clear() {
      await connection.flushall();
    },
    cpuMs: () => cpuOf(server.pid ?? 0),
    async [Symbol.asyncDispose]() {
      connection.disconnect();
      await stop();
    },
  };
}

/** Waits until it takes connections; false when it cannot be started, or ends. */
async function isReady(server: ChildProcess): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false)).once('exit', () => resolve(false));
  if (server.stdout) {
    createInterface({ input: server.stdout }).on('line', (line) => {
      if (line.includes('Ready to accept connections')) resolve(true);
    });
  }
  return promise;
}

async function end(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill();
  await gone;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('There is no free port.');
  return address.port;
}
